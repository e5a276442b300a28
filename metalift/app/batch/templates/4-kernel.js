// One kernel: its source and code side by side, what was proved of it, and how long that took.

const WORDS = {
  c: "alignas auto bool break case catch char class const constexpr continue default delete do double else enum extern false float for goto if inline int int8_t int16_t int32_t int64_t long namespace new nullptr operator private public register restrict return short signed size_t sizeof static std struct switch template this throw true try typedef typename uint8_t uint16_t uint32_t uint64_t union unsigned using virtual void volatile while",
  python: "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield",
  summary: "accesses and else exists fold for forall if in let max min not old or requires return sum then update where",
};
const TOKENS = {
  c: /(\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|(?![\s\S])))|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[^\n]*)|(\b\d[\w.]*)|([A-Za-z_]\w*)/gm,
  python: /(#[^\n]*)|("""[\s\S]*?(?:"""|(?![\s\S]))|'''[\s\S]*?(?:'''|(?![\s\S]))|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(\b\d[\w.]*)|([A-Za-z_]\w*)/gm,
  summary: /(;[^\n]*)|("[^"\n]*")|(\b\d[\w.]*)|([A-Za-z_]\w*)/gm,
};
const CLASSES = ["comment", "string", "literal", "word"];

// The text in pieces, of which those that mean something have a class.
function highlighted(text, language) {
  const words = new Set((WORDS[language] || "").split(" ")), tokens = TOKENS[language];
  if (!tokens || text.length > 200000) return [visible(text)];
  const pieces = [];
  let end = 0;
  for (const found of text.matchAll(tokens)) {
    const group = found.slice(1).findIndex(part => part !== undefined);
    const after = group === 3 && text[found.index + found[0].length] === "(";
    const name = group < 3 ? CLASSES[group] : words.has(found[0]) ? "word" : after ? "call" : "";
    if (!name) continue;
    if (found.index > end) pieces.push(visible(text.slice(end, found.index)));
    pieces.push(el("span", {class: name}, found[0]));
    end = found.index + found[0].length;
  }
  pieces.push(visible(text.slice(end)));
  return pieces;
}

const LANGUAGES = {py: "python", c: "c", h: "c", cc: "c", cpp: "c", cxx: "c", hpp: "c", cu: "c"};
const language = path => LANGUAGES[path.split(".").pop().toLowerCase()] || "";

// A text with the numbers of its lines; the one that is marked is in view.
function code(text, kind, first, marked) {
  const lines = text.replace(/\n$/, "").split("\n").length;
  const numbers = Array.from({length: lines}, (_, number) => first + number);
  const made = el("div", {class: "code"}, el("pre", {class: "lines", "aria-hidden": "true"}, numbers.map(number => [number === marked ? el("b", {}, number) : String(number), "\n"])),
    el("pre", {tabindex: 0}, el("code", {}, highlighted(text, kind))));
  const mark = made.querySelector("b");
  if (mark) requestAnimationFrame(() => { made.scrollTop = mark.offsetTop - 60; });
  return made;
}

const section = (title, ...content) => el("section", {class: "card"}, el("h2", {}, title), ...content);
const formula = text => el("pre", {class: "formula"}, el("code", {}, highlighted(text, "summary")));

function codes(kernel, found) {
  const source = found.source;
  const panels = [el("section", {class: "card panel"}, el("h2", {}, "Source ", el("small", {}, source.path + (source.line ? `:${source.line}` : ""))),
    source.cut ? el("p", {class: "hint"}, source.cut) : null, source.text ? code(source.text, language(source.path), source.first, source.line) : null)];
  for (const target of found.targets) {
    const errors = [target.error, target.source_error].map(each => each === null ? null : each.toPrecision(2));
    const error = target.same ? "; no difference" : errors.includes(null) ? "" : `; largest error ${errors[0]}, the source's own ${errors[1]}`;
    const decided = target.decided ? `; ${target.decided} of them decided by rounding` : "";
    const left = target.undecided ? `; ${target.undecided} more left out where rounding decides` : "";
    const told = target.checked === "agrees" ? `agrees with the source on ${plural(target.inputs, "input")}${error}${decided}${left}` : target.checked;
    panels.push(el("section", {class: "card panel"}, el("h2", {}, target.name + " ", el("small", {}, target.engine)),
      target.text ? el("p", {class: "hint"}, el("span", {class: "mark " + (target.checked === "agrees" ? "proved" : "not-lifted")}, told),
        target.file ? [" ", link(target.file, "file")] : null) : null,
      target.text ? code(target.text, language(target.file || ""), 1, target.line) : el("p", {class: "hint"}, "There is no code.")));
  }
  return el("div", {class: "panels"}, panels);
}

function why(kernel, found) {
  const parts = [];
  kernel.results.forEach((one, target) => {
    if (one && one.reason) parts.push(el("p", {}, el("b", {}, TARGETS[target], ": "), one.reason));
  });
  for (const lift of found.lifts) {
    for (const [place, message] of lift.diagnostics) parts.push(el("p", {}, el("code", {}, place), " ", message));
    const attempt = lift.attempt;
    if (attempt) {
      parts.push(el("h3", {}, "The best that was reached"), formula(attempt.summary || ""),
        attempt.obligation ? el("p", {}, "It fails on ", el("code", {}, attempt.obligation)) : null,
        attempt.input ? el("pre", {class: "formula"}, typeof attempt.input.text === "string" ? attempt.input.text : JSON.stringify(attempt.input, null, 1)) : null);
    }
  }
  return parts.length ? section(kernel.ok ? "Notes" : "Why not", parts) : null;
}

function timed(rows) {
  const most = Math.max(1e-9, ...rows.map(([, seconds]) => seconds));
  return el("table", {class: "timed"}, el("tbody", {}, rows.map(([cells, seconds, mark]) => {
    const length = el("i", {class: mark || "solver"});
    length.style.width = `${Math.max(1, 100 * seconds / most)}%`;
    return el("tr", {}, cells.map(cell => el("td", {}, cell)), el("td", {class: "length"}, length), el("td", {class: "number"}, duration(seconds)));
  })));
}

function proof(lift) {
  const parts = [], pair = [];
  if (lift.summary) parts.push(section("Summary", formula(lift.summary)));
  if (lift.invariants.length) parts.push(section("Invariants", lift.invariants.map(formula)));
  if (lift.assumptions.length) {
    pair.push(section("Assumptions", el("ul", {class: "assumptions"}, lift.assumptions.map(([text, origin, checked, targets]) =>
      el("li", {}, el("code", {}, text), " ", el("small", {}, origin + (targets && targets !== TARGETS.join(", ") ? `, ${targets}` : "")), " ", checked === "guard" ? el("span", {class: "mark proved"}, "checked by the code") : null)))));
  }
  const count = lift.obligations.length;
  if (count) {
    const proved = lift.obligations.filter(one => one[2] === "PROVED").length;
    parts.push(section(`Obligations: ${proved} of ${count} proved`,
      lift.certificate ? el("p", {class: "hint"}, link(lift.claim, "Certificate"), ": the source, the summary, and an SMT-LIB file for each proof. Prove it again with ",
        el("code", {}, "metalift check " + lift.certificate)) : null,
      timed(lift.obligations.map(([name, line, verdict, reason, seconds]) => {
        const mark = verdict === "PROVED" ? "proved" : verdict === "REFUTED" ? "error" : "not-lifted";
        return [[el("span", {class: "mark " + mark}, verdict), [name, reason ? el("small", {}, " " + reason) : null], `line\u00a0${line}`], seconds, mark];
      }))));
  }
  const stages = Object.entries(lift.seconds);
  if (stages.length) pair.push(section("Time by stage", timed(stages.map(([stage, seconds]) => [[stage], seconds]))));
  return [...parts, pair.length ? el("div", {class: "cards"}, pair) : null];
}

const bytes = count => count >= 1e6 ? `${+(count / 1e6).toPrecision(3)} MB` : count >= 1e3 ? `${+(count / 1e3).toPrecision(3)} kB` : `${count} B`;

// How fast each form is on each size.
function measured(found) {
  return found.speed.map(speed => {
    if (speed.problem) return section("Speed", el("p", {}, "It could not be measured: ", speed.problem));
    const cell = one => {
      if (!one || one.problem) return el("td", {class: "number"}, one ? el("small", {}, one.problem) : "");
      const note = `quartiles ${one.quartiles.map(duration).join(" and ")}, ${one.runs} runs, first call ${duration(one.first_seconds)}`;
      return el("td", {class: "number", title: note}, el("span", {class: "mark " + (one.ratio >= 1 ? "proved" : "not-lifted")}, one.ratio && one.agrees ? times(one.ratio) : ""), " ", duration(one.median),
        one.with_conversion ? el("small", {class: "line2"}, `${duration(one.with_conversion)} with conversion`) : null,
        one.agrees ? null : el("small", {class: "line2 mark error"}, "the result differs"));
    };
    const size = ([name, count, parameters]) => el("th", {class: "number", title: Object.entries(parameters).map(pair => pair.join(" = ")).join(", ")}, name, el("small", {class: "line2"}, bytes(count)));
    return section("Speed", el("p", {class: "hint"}, `${speed.kind}; recommended: ${speed.recommended}. Times as fast as the compiled source, and medians, on ${speed.machine}, one processor.`),
      el("div", {class: "scroll"}, el("table", {class: "totals"},
        el("thead", {}, el("tr", {}, el("th", {}, "form"), speed.sizes.map(size))),
        el("tbody", {}, speed.forms.map(([name, cells]) => el("tr", {}, el("th", {scope: "row"}, name === speed.recommended ? el("b", {}, name) : name), cells.map(cell)))))));
  });
}

let scrolled = 0;

// Show one kernel instead of the list.
async function show(id) {
  if (!byId("overview").hidden) scrolled = scrollY;
  if (location.hash !== "#kernel-" + id) { location.hash = "kernel-" + id; return; }
  const kernel = KERNELS[id], place = state.found.indexOf(kernel);
  const step = (text, other, name) => el("a", other ? {href: "#kernel-" + other.id, class: "button", "aria-label": name} : {class: "button off"}, text);
  const style = STYLES[kernel.style];
  const head = el("div", {class: "head"},
    el("nav", {}, el("a", {href: "#", class: "button", id: "back"}, "\u2190 All kernels"), step("\u2039", place > 0 ? state.found[place - 1] : null, "Kernel before"),
      step("\u203a", place >= 0 ? state.found[place + 1] : null, "Kernel after")),
    el("h1", {}, kernel.name), el("p", {class: "hint"}, SUITES[kernel.suite] + (style ? ` \u00b7 ${style}` : "") + ` \u00b7 ${duration(kernel.seconds)}, of which solver ${duration(kernel.prover)}`),
    el("p", {class: "chips"}, kernel.results.map((one, target) => one ? chip(one, TARGETS[target]) : null)));
  let content;
  try {
    const found = await details(id);
    content = found ? [why(kernel, found), codes(kernel, found), measured(found), found.lifts.map(lift => [
      found.lifts.length > 1 ? el("h2", {class: "lift"}, `As lifted to ${lift.targets.join(" and ")}`) : null, proof(lift)])] : [el("p", {}, "There is no result yet.")];
  } catch (problem) {
    content = [el("p", {class: "notice"}, `The details cannot be unpacked: ${problem}. A browser of 2023 or later can.`)];
  }
  byId("overview").hidden = true;
  byId("kernel").hidden = false;
  byId("kernel").replaceChildren(head, ...content.flat(Infinity).filter(Boolean));
  document.title = visible(kernel.label);
  scrollTo(0, 0);
}

// The part of the address after # says what is shown.
function route() {
  const asked = /^#kernel-(\d+)$/.exec(location.hash);
  if (asked && KERNELS[Number(asked[1])]) { show(Number(asked[1])); return; }
  byId("kernel").hidden = true;
  byId("kernel").replaceChildren();
  byId("overview").hidden = false;
  document.title = "metalift batch";
  scrollTo(0, scrolled);
}

function begin() {
  byId("top").replaceChildren(el("a", {href: "#", class: "brand"}, "metalift", el("span", {}, " batch")),
    el("p", {}, `${new Date(INDEX.made * 1000).toLocaleString("en", {dateStyle: "medium", timeStyle: "short"})} \u00b7 version ${INDEX.version} \u00b7 ${TARGETS.join(", ")}`));
  figures();
  byId("plots").replaceChildren(...[timePlot(), progressPlot(), MEASURED ? speedPlot() : null].filter(Boolean));
  byId("totals").replaceChildren(...[totals("By suite", "suite", SUITES), totals("By style", "style", STYLES), MEASURED ? speedTotals() : null].filter(Boolean));
  filters();
  refresh();
  addEventListener("hashchange", route);
  addEventListener("keydown", event => {
    if (event.target.closest("input, select") || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "/") { location.hash = ""; byId("search").focus(); event.preventDefault(); }
    if (event.key === "Escape") location.hash = "";
  });
  route();
}
begin();
