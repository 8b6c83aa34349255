"use strict";
// Shows what Python computed: names, numbers and shades. Text is only ever set as text.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const bytes = (packed) => Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
const element = (name, parent, values = {}) => parent.appendChild(Object.assign(document.createElement(name), values));
const drawing = (name, parent, values = {}) => {
  const made = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  return made;
};
const state = { title: data.panels[0].title, part: data.panels[0].part, scale: data.panels[0].chosen, row: -1, column: -1 };

const main = element("main", document.body);
const nav = element("nav", main);
const frame = element("div", main, { id: "frame" });
const names = drawing("svg", frame);
const canvas = element("canvas", frame, { tabIndex: 0 });
const legend = element("div", main, { id: "legend" });
const pointed = element("div", main, { id: "pointed" });
pointed.setAttribute("aria-live", "polite");

function chooser(caption, key, options) {
  if (options.length < 2) return;
  const label = element("label", nav, { textContent: caption });
  const select = element("select", label);
  for (const [value, text] of options) element("option", select, { value, textContent: text, selected: value === state[key] });
  select.onchange = () => { state[key] = select.value; show(); };
}

function panel() {
  const together = data.panels.filter((one) => one.title === state.title);
  const found = together.find((one) => one.part === state.part) || together[0];
  state.part = found.part;
  state.scale = (found.scales.find((one) => one.id === state.scale) || found.scales[0]).id;
  return found;
}

function label(parent, name, values) {
  const text = drawing("text", parent, values);
  for (const [run, faint] of name.runs) drawing("tspan", text, faint ? { class: "faint" } : {}).textContent = run;
  return text;
}

let shown, cell, rows, columns;

function show() {
  shown = panel();
  const once = (list) => [...new Set(list)].map((value) => [value, value]);
  nav.replaceChildren();
  chooser("show", "title", once(data.panels.map((one) => one.title)));
  chooser("part", "part", once(data.panels.filter((one) => one.title === state.title).map((one) => one.part)));
  chooser("scale", "scale", shown.scales.map((one) => [one.id, one.name]));
  const down = shown.rows.length, across = shown.columns.length;
  cell = Math.max(2, Math.min(22, Math.floor(1100 / Math.max(down, across, 1))));
  const room = (list) => 12 + 7.3 * Math.max(0, ...list.map((name) => name.runs.reduce((sum, [run]) => sum + [...run].length, 0)));
  const left = room(shown.rows), top = room(shown.columns), every = Math.ceil(12 / cell);
  names.replaceChildren();
  names.setAttribute("width", left + cell * across + 20);
  names.setAttribute("height", top + cell * down + 4);
  rows = shown.rows.map((name, at) => at % every ? null : label(names, name, { x: left - 6, y: top + cell * (at + 0.5) + 4, "text-anchor": "end" }));
  columns = shown.columns.map((name, at) => {
    const x = left + cell * (at + 0.5) + 4, y = top - 6;
    return at % every ? null : label(names, name, { x, y, transform: `rotate(-90 ${x} ${y})` });
  });
  Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${cell * across}px`, height: `${cell * down}px` });
  canvas.setAttribute("aria-label", `${shown.title} ${shown.part}, ${down} rows, ${across} columns; arrow keys move`);
  paint();
  point(-1, -1);
}

function paint() {
  const theme = data.themes[dark.matches ? "dark" : "light"];
  const scale = shown.scales.find((one) => one.id === state.scale);
  const steps = bytes(scale.steps), across = shown.columns.length;
  canvas.width = across;
  canvas.height = shown.rows.length;
  const pen = canvas.getContext("2d");
  steps.forEach((step, at) => {
    if (step === 255) return;
    pen.fillStyle = theme.shades[step];
    pen.fillRect(at % across, Math.floor(at / across), 1, 1);
  });
  legend.replaceChildren();
  element("span", legend, { textContent: scale.ends[0] });
  const first = scale.ends[0].startsWith("-") ? 0 : data.steps;
  const ramp = element("canvas", legend, { width: theme.shades.length - first, height: 1 });
  Object.assign(ramp.style, { width: "132px", height: "12px" });
  theme.shades.slice(first).forEach((shade, at) => {
    ramp.getContext("2d").fillStyle = shade;
    ramp.getContext("2d").fillRect(at, 0, 1, 1);
  });
  element("span", legend, { textContent: scale.ends[1] });
  element("span", legend, { textContent: scale.note });
}

function point(row, column) {
  for (const marked of [rows[state.row], columns[state.column]]) if (marked) marked.classList.remove("on");
  Object.assign(state, { row, column });
  if (row < 0) { pointed.textContent = "Point at a cell, or use the arrow keys."; return; }
  for (const marked of [rows[row], columns[column]]) if (marked) marked.classList.add("on");
  const whole = (name) => name.whole || name.runs.map(([run]) => run).join("");
  const at = row * shown.columns.length + column;
  const number = Number(new Float32Array(bytes(shown.numbers).buffer)[at].toPrecision(7));
  const note = shown.notes ? ` ${shown.notes[at]}` : "";
  pointed.textContent = `${whole(shown.rows[row])} → ${whole(shown.columns[column])}: ${number}${note}`;
}

canvas.onpointermove = (event) => {
  const row = Math.floor(event.offsetY / cell), column = Math.floor(event.offsetX / cell);
  if (row >= 0 && column >= 0 && row < shown.rows.length && column < shown.columns.length) point(row, column);
};
canvas.onkeydown = (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step) return;
  event.preventDefault();
  const within = (at, count) => Math.max(0, Math.min(count - 1, at));
  point(within(Math.max(0, state.row) + (state.row < 0 ? 0 : step[0]), shown.rows.length),
        within(Math.max(0, state.column) + (state.column < 0 ? 0 : step[1]), shown.columns.length));
};
dark.onchange = paint;
show();
