// SPDX-License-Identifier: GPL-2.0-only
// Put behind a report page by its test: uses the page as a reader would and writes what is wrong
// into <html data-checks>, a JSON list; [] is good. Rules of accessibility after WCAG 2.1 AA.
(() => {
  "use strict";
  const wrong = [];
  const check = (right, text) => { if (!right) wrong.push(text); };
  const root = document.documentElement;

  const luminance = (colour) => {
    const parts = colour.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const parsed = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = parsed(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0.99) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const contrast = (element) => {
    const front = luminance(parsed(getComputedStyle(element).color).slice(0, 3));
    const back = luminance(behind(element));
    return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  };

  const checkContrast = () => {
    for (const element of document.querySelectorAll("h1, h2, h3, p, td, th, li, figcaption, button, summary, .badge")) {
      if (element.textContent.trim() === "" || element.offsetParent === null) continue;
      const ratio = contrast(element);
      check(ratio >= 4.5, `${root.dataset.theme}: contrast ${ratio.toFixed(2)} of ${element.tagName}.${element.className}: ${element.textContent.slice(0, 30)}`);
    }
  };

  const checkStructure = () => {
    check(root.lang === "en", "no language");
    check(document.title !== "", "no title");
    check(document.querySelectorAll("h1").length === 1, "not one h1");
    check(document.querySelectorAll("main").length === 1, "not one main");
    let level = 0;
    for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
      const next = Number(heading.tagName[1]);
      check(next <= level + 1, `heading ${heading.textContent} skips a level`);
      level = next;
    }
    const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
    check(new Set(ids).size === ids.length || ids.some((id) => id.startsWith("plot")), "an id is there twice");
    for (const element of document.querySelectorAll("[role=img], [role=region], table")) {
      check((element.getAttribute("aria-label") ?? "") !== "", `${element.tagName} has no name`);
    }
    for (const element of document.querySelectorAll("[aria-labelledby]")) {
      check(document.getElementById(element.getAttribute("aria-labelledby")) !== null, "a label leads nowhere");
    }
    for (const head of document.querySelectorAll("th")) check(head.scope !== "", "th has no scope");
    for (const button of document.querySelectorAll("button")) check(button.textContent.trim() !== "", "button has no name");
    for (const region of document.querySelectorAll(".scroll")) check(region.tabIndex === 0, "a table that scrolls is out of reach of keys");
    for (const element of document.querySelectorAll("[src], link[href]")) {
      check(!/^https?:/.test(element.getAttribute("src") ?? element.getAttribute("href")), "the page asks the network");
    }
  };

  // The pointer goes over a grid of points of each chart until a tip shows text.
  const checkTips = () => {
    for (const canvas of document.querySelectorAll("[role=img]")) {
      const svgs = [...canvas.querySelectorAll("svg")];
      const svg = svgs.reduce((a, b) => (b.clientWidth * b.clientHeight > a.clientWidth * a.clientHeight ? b : a));
      const box = svg.getBoundingClientRect();
      let shown = false;
      for (let i = 1; i < 20 && !shown; ++i) {
        for (let j = 1; j < 20 && !shown; ++j) {
          svg.dispatchEvent(new PointerEvent("pointermove", {
            bubbles: true, pointerType: "mouse",
            clientX: box.left + box.width * i / 20, clientY: box.top + box.height * j / 20,
          }));
          shown = [...svg.querySelectorAll("[aria-label=tip] text")].some((text) => text.textContent !== "");
        }
      }
      check(shown, `no tip in: ${canvas.getAttribute("aria-label")}`);
    }
  };

  const checkTheme = () => {
    const button = document.getElementById("theme");
    const before = root.dataset.theme;
    button.click();
    check(root.dataset.theme !== before, "the theme does not change");
    check(button.getAttribute("aria-pressed") === String(root.dataset.theme === "dark"), "the button does not tell its state");
    checkContrast();
    button.click();
    check(root.dataset.theme === before, "the theme does not change back");
  };

  checkStructure();
  checkContrast();
  checkTips();
  checkTheme();
  root.dataset.checks = JSON.stringify(wrong);
})();
