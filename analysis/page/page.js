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

  const charts = [];
  const add = (host, draw, name, caption) => {
    const figure = document.createElement("figure");
    const canvas = document.createElement("div");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${name}. The table below has the same figures.`);
    const text = document.createElement("figcaption");
    text.textContent = caption;
    figure.append(canvas, text);
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
