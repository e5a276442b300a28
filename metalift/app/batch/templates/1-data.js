"use strict";
// The index of all results, which is small, and what is shown of one kernel, which is unpacked when it is asked for.
// All text comes from sources and tools: it reaches the page only as text nodes, never as markup.

const INDEX = JSON.parse(document.getElementById("index").textContent);
const TARGETS = INDEX.targets, VERDICTS = INDEX.verdicts, SUITES = INDEX.suites, STYLES = INDEX.styles, KINDS = INDEX.kinds, FORMS = INDEX.forms;
const BLOCK = INDEX.block; // kernels in one packed block of details

// One kernel: its number, names, and for each target a result or null.
const KERNELS = INDEX.kernels.map(([suite, name, style, label, results, speed], id) => {
  const kernel = {id, suite, name, style, label};
  kernel.results = results.map(found => {
    if (!found) return null;
    const [verdict, ok, seconds, prover, finished, reason] = found;
    return {verdict, ok: Boolean(ok), seconds, prover, finished, reason};
  });
  const known = kernel.results.filter(Boolean);
  kernel.known = known;
  kernel.ok = known.length === TARGETS.length && known.every(one => one.ok);
  kernel.worst = Math.max(-1, ...known.map(one => one.verdict)); // VERDICTS has the best first
  kernel.seconds = Math.max(0, ...known.map(one => one.seconds));
  kernel.prover = Math.max(0, ...known.map(one => one.prover));
  kernel.finished = Math.max(0, ...known.map(one => one.finished));
  [kernel.kind, kernel.recommended, kernel.forms] = speed || [-1, -1, []];
  kernel.speed = Math.max(0, ...kernel.forms.filter(([form]) => form).map(([, ratio]) => ratio)); // form 0 is the source
  kernel.reason = (known.find(one => one.reason) || {reason: ""}).reason;
  kernel.text = [label, ...known.map(one => one.reason)].join("\n").toLowerCase();
  return kernel;
});
const MEASURED = KERNELS.some(kernel => kernel.kind >= 0);

// The details of a kernel: unpacked in blocks, the last few of which are kept.
const blocks = new Map();
async function details(id) {
  const number = Math.floor(id / BLOCK);
  if (!blocks.has(number)) {
    const packed = atob(document.getElementById("details-" + number).textContent.trim());
    const bytes = Uint8Array.from(packed, letter => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    blocks.set(number, JSON.parse(await new Response(stream).text()));
    if (blocks.size > 8) blocks.delete(blocks.keys().next().value);
  }
  return blocks.get(number)[id % BLOCK];
}

// Letters that are not seen, or that change the order in which others are, are shown by their number.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const visible = text => String(text).replace(HIDDEN, letter => "\u27e8U+" + letter.charCodeAt(0).toString(16).padStart(4, "0") + "\u27e9");

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false)
    .map(child => child instanceof Node ? child : visible(child)));
  return made;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
const byId = id => document.getElementById(id);

// A file beside the page; each part of the path is escaped, so that none is taken for a protocol.
const link = (path, ...children) => el("a", {href: "./" + path.split("/").map(encodeURIComponent).join("/")}, ...children);

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const median = values => {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length ? (sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2) : 0;
};
function duration(seconds) {
  if (seconds && seconds < 0.0009995) return seconds < 0.9995e-6 ? `${Math.round(seconds * 1e9)} ns` : `${(seconds * 1e6).toPrecision(seconds < 0.995e-4 ? 2 : 3)} \u00b5s`;
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 99.5) return `${seconds.toPrecision(seconds < 9.95 ? 2 : 3).replace(/\.0$/, "")} s`;
  if (seconds < 5400) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round(seconds % 3600 / 60)} min`;
}
const mean = ratios => Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
const times = speed => `${speed.toLocaleString("en", {maximumSignificantDigits: speed < 9.95 ? 2 : 3})}\u00d7`;
const word = verdict => VERDICTS[verdict].replace("_", " ");
const kind = verdict => VERDICTS[verdict].toLowerCase().replace("_", "-");
