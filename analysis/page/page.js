// SPDX-License-Identifier: GPL-2.0-only
// Draws the charts of the report page from the results that the page carries. Everything that a
// chart shows also stands in a table, so nothing is lost without this script.
(() => {
  "use strict";
  const outcome = JSON.parse(document.getElementById("outcome").textContent);
  const root = document.documentElement;
  const dark = () => root.dataset.theme === "dark";
  const finished = outcome.cases.filter((one) => one.verdict === "done" && one.time_ps > 0);

  const sizes = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];
  const size = (bytes) => {
    for (const [unit, name] of sizes) if (bytes >= unit) return `${+(bytes / unit).toFixed(2)} ${name}`;
    return `${bytes} B`;
  };
  const times = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"]];
  const time = (ps) => {
    for (const [unit, name] of times) if (ps >= unit) return `${(ps / unit).toFixed(2)} ${name}`;
    return `${ps} ps`;
  };
  const rate = (bytes) => `${(bytes / 1e9).toFixed(1)} GB/s`;
  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  // Colours that differ for colour-blind readers too (Okabe and Ito), lighter ones on dark.
  const colours = () => dark()
    ? ["#56b4e9", "#e69f00", "#4fd1a5", "#f0a3cf", "#f0e442", "#ff8f5c", "#9db7ff", "#c9c9c9"]
    : ["#0072b2", "#b86e00", "#00795a", "#a8437f", "#7a6f00", "#c44d00", "#4455aa", "#555555"];

  const common = (width) => ({
    width, marginLeft: 64, style: { background: "transparent", color: "var(--ink)", fontSize: "12px" },
  });
  const tip = { fill: "var(--paper)", stroke: "var(--line)" };

  const blockOf = (one) => `${one.collective} over ${one.group}`;
  const blocks = d3.groups(finished, blockOf);

  // Bus bandwidth against size, with what the links allow.
  const bandwidth = (cases) => (width) => {
    const bound = cases.filter((one) => one.bound_ps > 0)
      .map((one) => ({ bytes: one.bytes, rate: one.bus_bandwidth * one.time_ps / one.bound_ps }));
    return Plot.plot({
      ...common(width), height: 300, marginBottom: 40,
      x: { type: "log", base: 2, label: "size", tickFormat: size,
           ticks: [...new Set(cases.map((one) => one.bytes))].filter((_, i, all) => all.length < 9 || i % 2 === 0) },
      y: { type: "log", label: "bus bandwidth, GB/s", grid: true, ticks: 4, tickFormat: "~f",
           transform: (value) => value / 1e9 },
      color: { legend: true, range: colours(), domain: [...new Set(cases.map((one) => one.algorithm))] },
      marks: [
        Plot.line(bound, { x: "bytes", y: "rate", stroke: "currentColor", strokeDasharray: "5 4" }),
        Plot.line(cases, { x: "bytes", y: "bus_bandwidth", stroke: "algorithm", strokeWidth: 2 }),
        Plot.dot(cases, {
          x: "bytes", y: "bus_bandwidth", fill: "algorithm", r: 4, symbol: "algorithm", tip,
          title: (one) => `${one.algorithm}, ${size(one.bytes)}\n${time(one.time_ps)}, ` +
            `${rate(one.bus_bandwidth)}\n${percent(one.bound_share)} of the bound\n` +
            `bound by ${one.bottleneck}`,
        }),
      ],
    });
  };

  const parts = [["launch_ps", "launch"], ["endpoint_ps", "ends"], ["latency_ps", "wires and switches"],
    ["transmission_ps", "bytes on the links"], ["queueing_ps", "waiting for links"], ["compute_ps", "reducing"]];
  const label = (one) => `${size(one.bytes)} ${one.algorithm}`;

  // Shares of the critical path, one bar per case.
  const breakdown = (cases) => (width) => {
    const rows = cases.flatMap((one) => parts.map(([key, name]) => ({
      one, part: name, share: one.breakdown[key] / one.time_ps, ps: one.breakdown[key],
    }))).filter((row) => row.share > 0);
    return Plot.plot({
      ...common(width), height: 50 + 20 * cases.length, marginLeft: 150, marginBottom: 36,
      x: { label: "share of the time", tickFormat: (value) => `${Math.round(100 * value)} %`, domain: [0, 1] },
      y: { label: null, domain: cases.map(label) },
      color: { legend: true, range: colours(), domain: parts.map(([, name]) => name) },
      marks: [
        Plot.barX(rows, {
          x: "share", y: (row) => label(row.one), fill: "part", insetTop: 1, insetBottom: 1, tip,
          order: parts.map(([, name]) => name),
          title: (row) => `${label(row.one)}\n${row.part}: ${percent(row.share)}, ${time(row.ps)}`,
        }),
      ],
    });
  };

  // How busy the busiest link of each class was.
  const links = (cases) => (width) => {
    const rows = cases.flatMap((one) => one.levels.map((level) => ({ one, level })));
    return Plot.plot({
      ...common(width), height: 70 + 20 * cases.length, marginLeft: 150, marginTop: 40, marginBottom: 8,
      x: { label: null, axis: "top" }, y: { label: null, domain: cases.map(label) },
      color: { legend: true, label: "busiest link, share of the time", scheme: dark() ? "viridis" : "blues",
               domain: [0, 1], tickFormat: (value) => `${Math.round(100 * value)} %` },
      marks: [
        Plot.cell(rows, {
          x: (row) => row.level.name, y: (row) => label(row.one), fill: (row) => row.level.busiest_share,
          inset: 1, tip, title: (row) => `${label(row.one)}\n${row.level.busiest}\n` +
            `${percent(row.level.busiest_share)} busy, ${row.level.links} links in use`,
        }),
        Plot.text(rows, {
          x: (row) => row.level.name, y: (row) => label(row.one),
          text: (row) => `${Math.round(100 * row.level.busiest_share)} %`,
          fill: (row) => ((row.level.busiest_share > 0.55) === dark() ? "black" : "white"),
        }),
      ],
    });
  };

  // Bytes from each rank (row) to each other (column), as one image: 144 x 144 cells are too many
  // shapes.
  const traffic = (one) => (width) => {
    const pairs = one.traffic.map(([from, to, bytes]) => ({ from, to, bytes }));
    const side = Math.min(width, 560);
    const most = d3.max(pairs, (pair) => pair.bytes);
    const ticks = d3.ticks(0, one.ranks, 8).filter(Number.isInteger);
    const values = new Float64Array(one.ranks * one.ranks).fill(NaN);
    for (const pair of pairs) values[pair.from * one.ranks + pair.to] = pair.bytes;
    return Plot.plot({
      ...common(side), height: side, marginLeft: 48, marginBottom: 40,
      x: { label: "to rank", domain: [0, one.ranks], ticks, tickFormat: "d" },
      y: { label: "from rank", domain: [0, one.ranks], reverse: true, ticks, tickFormat: "d" },
      color: { legend: true, label: "bytes of a pair", scheme: dark() ? "viridis" : "blues",
               tickFormat: size, ticks: [0, most / 2, most], width: 320, domain: [0, most] },
      marks: [
        Plot.raster(values, { width: one.ranks, height: one.ranks, x1: 0, y1: 0, x2: one.ranks,
                              y2: one.ranks, imageRendering: "pixelated" }),
        Plot.frame({ stroke: "var(--line)" }),
        Plot.tip(pairs, Plot.pointer({
          x: (pair) => pair.to + 0.5, y: (pair) => pair.from + 0.5, ...tip,
          title: (pair) => `rank ${pair.from} to rank ${pair.to}\n${size(pair.bytes)}`,
        })),
      ],
    });
  };

  // Every link at its share of the time, by level: one mark a link.
  const linkUse = (one) => (width) => {
    const rows = one.links.map(([name, level, bytes, busy]) => ({ name, level, bytes, busy }));
    const levels = [...new Set(rows.map((row) => row.level))];
    return Plot.plot({
      ...common(width), height: 60 + 44 * levels.length, marginLeft: 110, marginBottom: 40,
      x: { label: "share of the time that a link was sending", domain: [0, 1], grid: true,
           tickFormat: (value) => `${Math.round(100 * value)} %` },
      y: { label: null, domain: levels },
      color: { range: colours(), domain: levels },
      marks: [
        Plot.tickX(rows, { x: "busy", y: "level", stroke: "level", strokeOpacity: 0.5, insetTop: 6,
                           insetBottom: 6 }),
        Plot.tip(rows, Plot.pointer({
          x: "busy", y: "level", ...tip,
          title: (row) => `${row.name}\n${percent(row.busy)} busy, ${size(row.bytes)}`,
        })),
      ],
    });
  };

  const kinds = ["send", "reduce", "copy"];
  // What the first ranks do: one bar an op, from its first byte to its end.
  const excerpt = (one) => (width) => {
    const shown = [...new Set(one.spans.map(([rank]) => rank))].slice(0, 8);
    const rows = one.spans.filter(([rank]) => shown.includes(rank))
      .map(([rank, kind, peer, bytes, begin, end]) => ({ rank, kind: kinds[kind], peer, bytes, begin, end }));
    return Plot.plot({
      ...common(width), height: 80 + 26 * shown.length, marginLeft: 70, marginBottom: 40,
      x: { label: "time", tickFormat: time, domain: [0, one.time_ps], grid: true },
      y: { label: null, domain: shown, tickFormat: (rank) => `rank ${rank}` },
      color: { legend: true, range: colours(), domain: kinds.filter((kind) => rows.some((row) => row.kind === kind)) },
      marks: [
        Plot.barX(rows, { x1: "begin", x2: "end", y: "rank", fill: "kind", fillOpacity: 0.35,
                          insetTop: 2, insetBottom: 2 }),
        Plot.tip(rows, Plot.pointerX({
          x: (row) => (row.begin + row.end) / 2, y: "rank", ...tip,
          title: (row) => `rank ${row.rank}: ${row.kind}` +
            `${row.peer < 0 ? "" : ` to ${row.peer}`}, ${size(row.bytes)}\n` +
            `${time(row.begin)} to ${time(row.end)}`,
        })),
      ],
    });
  };

  // The chart as it stands, for slides: the largest drawing, with the page's colours written out.
  const standalone = (canvas) => {
    const area = (svg) => svg.clientWidth * svg.clientHeight;
    const svg = d3.greatest(canvas.querySelectorAll("svg"), area);
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(root);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    for (const name of ["--ink", "--paper", "--line"]) copy.style.setProperty(name, style.getPropertyValue(name));
    copy.style.background = style.getPropertyValue("--paper");
    return { text: new XMLSerializer().serializeToString(copy), width: svg.clientWidth, height: svg.clientHeight };
  };
  const download = (url, file) => {
    const link = document.createElement("a");
    link.href = url;
    link.download = file;
    link.click();
  };
  const saveAs = (kind, canvas, name) => {
    const { text, width, height } = standalone(canvas);
    const file = name.replace(/[^A-Za-z0-9]+/g, "-").toLowerCase();
    const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    if (kind === "SVG") return download(url, `${file}.svg`);
    const image = new Image();
    image.onload = () => {
      const sheet = document.createElement("canvas");
      sheet.width = 2 * width;  // sharp on slides
      sheet.height = 2 * height;
      sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
      download(sheet.toDataURL("image/png"), `${file}.png`);
    };
    image.src = url;
  };

  const charts = [];
  const add = (host, draw, name, caption) => {
    const figure = document.createElement("figure");
    const canvas = document.createElement("div");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${name}. The table below has the same figures.`);
    const text = document.createElement("figcaption");
    text.textContent = caption;
    figure.append(canvas, text);
    for (const kind of ["SVG", "PNG"]) {
      const save = document.createElement("button");
      save.type = "button";
      save.className = "save";
      save.textContent = `Save as ${kind}`;
      save.setAttribute("aria-label", `Save as ${kind}: ${name}`);
      save.addEventListener("click", () => saveAs(kind, canvas, name));
      text.append(" ", save);
    }
    host.append(figure);
    charts.push({ canvas, draw });
  };

  const draw = () => {
    for (const { canvas, draw } of charts) {
      const width = Math.max(300, Math.min(canvas.clientWidth || 900, 920));
      canvas.replaceChildren(draw(width));
    }
  };

  for (const [name, cases] of blocks) {
    const host = document.querySelector(`[data-block="${CSS.escape(name)}"]`);
    if (host === null) continue;
    if (new Set(cases.map((one) => one.bytes)).size > 1) {
      add(host, bandwidth(cases), `Bus bandwidth against size, ${name}`,
        "Bus bandwidth against size. Dashed: what the raw link rates allow.");
    }
    add(host, breakdown(cases), `Where the time goes, ${name}`,
      "Where the time goes along the critical path.");
    if (cases.some((one) => one.levels.length > 0)) {
      add(host, links(cases), `Use of the links, ${name}`,
        "Share of the time that the busiest link of each class was sending.");
    }
  }

  for (const one of JSON.parse(document.getElementById("recordings").textContent)) {
    const host = document.querySelector(`[data-recorded="${CSS.escape(one.case)}"]`);
    if (host === null) continue;
    if (one.traffic.length > 0) {
      add(host, traffic(one), `Traffic between ranks, ${one.case}`,
        "Bytes from each rank to each other. White: none.");
    }
    add(host, linkUse(one), `Use of each link, ${one.case}`,
      "Every link that carried anything, at the share of the time it was sending.");
    add(host, excerpt(one), `First ranks over time, ${one.case}`,
      "What the first ranks do, each op from its first byte to its end; darker where several overlap. " +
      "White: launch, waiting for others, and costs at the ends.");
  }

  const button = document.getElementById("theme");
  const show = (theme) => {
    root.dataset.theme = theme;
    button.setAttribute("aria-pressed", String(theme === "dark"));
    button.textContent = theme === "dark" ? "Light page" : "Dark page";
    draw();
  };
  button.hidden = false;
  button.addEventListener("click", () => show(dark() ? "light" : "dark"));
  show(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  let pending = 0;
  window.addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(draw);
  });
  window.addEventListener("beforeprint", () => show("light"));
  root.dataset.drawn = String(charts.length);
})();
