// Plots as SVG, drawn as wide as there is room, again when that changes.

const HEIGHT = 230, LEFT = 46, RIGHT = 12, TOP = 12, BOTTOM = 34;

function plot(title, note, legend, draw) {
  const holder = el("div", {class: "plot"});
  const hint = el("p", {class: "hint"}, note);
  const card = el("figure", {class: "card"}, el("figcaption", {}, el("h2", {}, title), hint), holder,
    el("ul", {class: "legend"}, legend.map(([name, text]) => el("li", {}, el("i", {class: "dot " + name}), text))));
  let width = 0;
  new ResizeObserver(() => {
    const wide = Math.floor(holder.clientWidth);
    if (!wide || wide === width) return;
    width = wide;
    const picture = svg("svg", {width: wide, height: HEIGHT, role: "img", "aria-label": `${title}: ${note}`});
    draw(picture, wide, text => { hint.textContent = visible(text || note); });
    holder.replaceChildren(picture);
  }).observe(holder);
  return card;
}

// A power of ten in seconds.
const decade = seconds => seconds < 1 ? `${+(seconds * 1000).toPrecision(1)} ms` : `${seconds.toLocaleString("en")} s`;

const scale = (from, to, start, end) => value => start + (to === from ? 0.5 : (value - from) / (to - from)) * (end - start);

// Decades that hold the values.
function decades(values) {
  const [least, most] = bounds(values.filter(value => value > 0)).map(Math.log10);
  return [Math.floor(least), Math.max(Math.ceil(most), Math.floor(least) + 1)];
}
function bounds(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) { low = Math.min(low, value); high = Math.max(high, value); }
  return values.length ? [low, high] : [0.1, 1];
}

// About four steps of 1, 2 or 5 times a power of ten.
function steps(largest) {
  const rough = largest / 4, power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough) || 1;
  return Array.from({length: Math.floor(largest / step) + 1}, (_, number) => number * step);
}

// The same for seconds, in minutes or hours where there are many; each with its text.
function clocks(longest) {
  const [unit, name] = longest < 150 ? [1, "s"] : longest < 7200 ? [60, "min"] : [3600, "h"];
  return steps(longest / unit).map(count => [count * unit, count ? `${+count.toFixed(3)} ${name}` : "0"]);
}

function axes(picture, width, xTicks, yTicks, xTitle) {
  for (const [y, text] of yTicks) {
    picture.append(svg("line", {class: "grid", x1: LEFT, x2: width - RIGHT, y1: y, y2: y}),
      svg("text", {class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end"}, text));
  }
  for (const [x, text] of xTicks) {
    picture.append(svg("text", {class: "tick", x, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle"}, text));
  }
  picture.append(svg("text", {class: "tick axis", x: width - RIGHT, y: HEIGHT - 4, "text-anchor": "end"}, xTitle));
}

// Thousands of points are one path: a stroke of no length with round ends is a dot.
const dots = points => points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("");

// What is near the pointer is named, and shown when it is clicked.
function pointing(picture, points, say, name) {
  const ring = svg("circle", {class: "ring", r: 6, visibility: "hidden"});
  picture.append(ring);
  let near = null;
  picture.addEventListener("pointermove", event => {
    const box = picture.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    near = null;
    let best = 30 ** 2;
    for (const point of points) {
      const distance = (point[0] - x) ** 2 + (point[1] - y) ** 2;
      if (distance < best) { best = distance; near = point; }
    }
    ring.setAttribute("visibility", near ? "visible" : "hidden");
    if (near) { ring.setAttribute("cx", near[0]); ring.setAttribute("cy", near[1]); }
    picture.classList.toggle("on", Boolean(near));
    say(near ? name(near[2]) : "");
  });
  picture.addEventListener("pointerleave", () => { ring.setAttribute("visibility", "hidden"); near = null; say(""); });
  picture.addEventListener("click", () => { if (near) show(near[2].id); });
}

// A point for each kernel, sorted, on a logarithmic axis.
function ranked(picture, width, kernels, value, unit, classes, name, say, mark) {
  const sorted = kernels.filter(value).sort((a, b) => value(a) - value(b));
  const more = mark ? sorted.map(mark.value).filter(one => one > 0) : [];
  const [low, high] = decades([...sorted.map(value), ...more]);
  const x = scale(0, Math.max(1, sorted.length - 1), LEFT + 6, width - RIGHT - 6);
  const y = scale(low, high, HEIGHT - BOTTOM, TOP);
  const ticks = Array.from({length: high - low + 1}, (_, number) => low + number);
  const step = Math.ceil(sorted.length / 4);
  const numbers = [1, ...Array.from({length: 3}, (_, i) => (i + 1) * step).filter(n => n < sorted.length - step / 2), sorted.length];
  axes(picture, width, [...new Set(numbers)].map(n => [x(n - 1), n]), ticks.map(power => [y(power), unit(10 ** power)]), "kernels, sorted");
  const points = sorted.map((kernel, rank) => [x(rank), y(Math.log10(value(kernel))), kernel]);
  const size = sorted.length > 1500 ? 3 : sorted.length > 300 ? 4 : 6;
  if (mark) {
    const marks = points.filter(point => mark.value(point[2]) > 0).map(([at, , kernel]) => [at, y(Math.log10(mark.value(kernel)))]);
    picture.append(svg("path", {class: "dots " + mark.kind, d: dots(marks), "stroke-width": size * 0.7}));
  }
  const groups = new Map();
  for (const point of points) {
    const own = classes(point[2]);
    if (!groups.has(own)) groups.set(own, []);
    groups.get(own).push(point);
  }
  for (const [own, members] of groups) picture.append(svg("path", {class: "dots " + own, d: dots(members), "stroke-width": size}));
  pointing(picture, points, say, name);
  return y;
}

function timePlot() {
  const used = [...new Set(KERNELS.filter(kernel => kernel.seconds).map(kernel => kernel.worst))].sort();
  const name = kernel => `${kernel.label}: ${word(kernel.worst)}, ${duration(kernel.seconds)}, of which solver ${duration(kernel.prover)}`;
  return plot("Time per kernel", "Wall time of each kernel, all targets together, and the solver's part of it.",
    [...used.map(verdict => [kind(verdict), word(verdict)]), ["solver", "solver"]],
    (picture, width, say) => ranked(picture, width, KERNELS, kernel => kernel.seconds, decade, kernel => kind(kernel.worst), name, say,
      {value: kernel => kernel.prover, kind: "solver"}));
}

function speedPlot() {
  const name = kernel => `${kernel.label}: ${times(kernel.speed)} as fast as the compiled source; recommended: ${FORMS[kernel.recommended]}`;
  return plot("Speed per kernel", "The fastest generated code against the source compiled by gcc -O3, on the largest size; above the line it is faster.",
    [["proved", "faster"], ["not-lifted", "slower"]],
    (picture, width, say) => {
      const y = ranked(picture, width, KERNELS, kernel => kernel.speed, times, kernel => kernel.speed >= 1 ? "proved" : "not-lifted", name, say);
      picture.prepend(svg("line", {class: "one", x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0)}));
    });
}

// Time with nothing running, between two runs, is left out: a kernel cannot have run longer than it took.
function activity() {
  const ends = KERNELS.filter(kernel => kernel.finished).sort((a, b) => a.finished - b.finished);
  let clock = 0, before = null, done = 0, ok = 0;
  const found = [[0, 0, 0]];
  for (const kernel of ends) {
    clock += before === null ? kernel.seconds : Math.min(kernel.finished - before, kernel.seconds);
    before = kernel.finished;
    done += 1;
    ok += kernel.ok;
    found.push([clock, done, ok]);
  }
  return found;
}

function progressPlot() {
  return plot("Proved over time", "Kernels that are finished, and those of them that are proved for every target, with code that agrees.",
    [["proved", "proved, code agrees"], ["solver", "finished"]],
    (picture, width) => {
      const found = activity(), end = found[found.length - 1];
      const x = scale(0, end[0] || 1, LEFT, width - RIGHT - 14), y = scale(0, end[1] || 1, HEIGHT - BOTTOM, TOP);
      axes(picture, width, clocks(end[0]).map(([at, text]) => [x(at), text]),
        steps(end[1] || 1).filter(Number.isInteger).map(count => [y(count), count]), "time with something running");
      const line = part => found.map((point, number) => (number ? `H${x(point[0]).toFixed(1)}V` : `M${LEFT} `) + y(point[part]).toFixed(1)).join("");
      picture.append(svg("path", {class: "area", d: `${line(2)}V${HEIGHT - BOTTOM}H${LEFT}Z`}),
        svg("path", {class: "line solver", d: line(1)}), svg("path", {class: "line proved", d: line(2)}));
    });
}
