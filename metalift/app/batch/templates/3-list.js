// The overview: totals, and the kernels with filters, sorting and pages.

const PAGE = 100;
const state = {words: [], suite: -1, style: -1, target: -1, verdict: "", sort: "order", down: false, page: 0, found: KERNELS};

const chip = (result, target) => el("span", {class: "chip " + kind(result.verdict), title: result.reason ? visible(result.reason) : false},
  target ? el("b", {}, target) : null, word(result.verdict) + (result.ok || VERDICTS[result.verdict] !== "PROVED" ? "" : ", not run"));

// How many results have each verdict, as a bar and in numbers.
function bar(results) {
  const counts = VERDICTS.map((_, verdict) => results.filter(one => one.verdict === verdict).length);
  const parts = counts.map((count, verdict) => {
    if (!count) return null;
    const part = el("i", {class: kind(verdict), title: `${count} ${word(verdict)}`});
    part.style.flexGrow = count;
    return part;
  });
  return el("span", {class: "bar"}, parts);
}

function figures() {
  const results = KERNELS.flatMap(kernel => kernel.known), wanted = KERNELS.length * TARGETS.length;
  const ok = KERNELS.filter(kernel => kernel.ok).length;
  const figure = (value, unit, text) => el("div", {class: "figure"}, el("strong", {}, value, unit ? el("small", {}, unit) : null), el("span", {}, text));
  const seconds = KERNELS.filter(kernel => kernel.known.length).map(kernel => kernel.seconds);
  const list = [
    figure(ok.toLocaleString("en"), ` / ${KERNELS.length.toLocaleString("en")}`, "kernels proved for every target, with code that agrees"),
    figure(results.filter(one => one.ok).length.toLocaleString("en"), ` / ${wanted.toLocaleString("en")}`, `results, ${TARGETS.join(" and ")}`),
    figure(duration(median(seconds)), "", "median time of a kernel"),
    figure(duration(seconds.length ? bounds(seconds)[1] : 0), "", "longest time"),
  ];
  if (MEASURED) {
    const speeds = KERNELS.map(kernel => kernel.speed).filter(Boolean), kept = KERNELS.filter(kernel => kernel.recommended === 0).length;
    list.push(figure(speeds.length ? times(mean(speeds)) : "\u2013", "", `as fast as gcc -O3: geometric mean of the best generated code of ${plural(speeds.length, "kernel")}`),
      figure(kept.toLocaleString("en"), "", "kernels whose source is the fastest"));
  }
  const used = VERDICTS.map((_, verdict) => [verdict, results.filter(one => one.verdict === verdict).length]).filter(([, count]) => count);
  const missing = wanted - results.length;
  const legend = used.map(([verdict, count]) => el("li", {}, el("button", {class: "plain", onclick: () => choose({verdict: VERDICTS[verdict]})},
    el("i", {class: "dot " + kind(verdict)}), `${count.toLocaleString("en")} ${word(verdict)}`)));
  if (missing) legend.push(el("li", {}, el("i", {class: "dot solver"}), `${missing.toLocaleString("en")} without a result yet`));
  byId("figures").replaceChildren(...list, el("div", {class: "verdicts"}, bar(results), el("ul", {class: "legend"}, legend)));
}

// A table of totals: a row for each suite or style, a column for each target.
function totals(title, part, names) {
  const groups = new Map(names.map((_, number) => [number, []]));
  for (const kernel of KERNELS) groups.get(kernel[part]).push(kernel);
  const rows = [...groups].filter(([, own]) => own.length).sort((a, b) => b[1].length - a[1].length);
  const cell = (own, target, number) => {
    const found = own.map(kernel => kernel.results[target]).filter(Boolean), ok = found.filter(one => one.ok).length;
    return el("td", {}, el("button", {class: "plain cell", onclick: () => choose({[part]: number, target})}, bar(found), `${ok}/${own.length}`));
  };
  return el("section", {class: "card"}, el("h2", {}, title), el("div", {class: "scroll tall"}, el("table", {class: "totals"},
    el("thead", {}, el("tr", {}, el("th", {}, title.replace("By ", "")), TARGETS.map(target => el("th", {}, target)), el("th", {class: "number median"}, "median"))),
    el("tbody", {}, rows.map(([number, own]) => el("tr", {},
      el("th", {scope: "row"}, el("button", {class: "plain", onclick: () => choose({[part]: number})}, names[number] || "(none)")),
      TARGETS.map((_, target) => cell(own, target, number)), el("td", {class: "number median"}, duration(median(own.map(kernel => kernel.seconds))))))))));
}

// Geometric means of each form, and of the best that was generated, by what kernels do.
function speedTotals() {
  const groups = [...KINDS.map((name, kind) => [name, KERNELS.filter(kernel => kernel.kind === kind)]),
    ["all", KERNELS.filter(kernel => kernel.kind >= 0)]].filter(([, own]) => own.length);
  const forms = FORMS.map((name, form) => [name, form]).slice(1);
  const of = (own, form) => own.flatMap(kernel => kernel.forms.filter(([other]) => other === form).map(([, ratio]) => ratio));
  const cell = ratios => el("td", {class: "number"}, ratios.length ? el("span", {class: mean(ratios) >= 1 ? "mark proved" : "mark not-lifted"}, times(mean(ratios))) : "");
  return el("section", {class: "card wide"}, el("h2", {}, "Speed by kind"),
    el("p", {class: "hint"}, "Geometric means of how many times as fast as the source compiled by gcc -O3, on the largest size."),
    el("div", {class: "scroll"}, el("table", {class: "totals"},
      el("thead", {}, el("tr", {}, el("th", {}, "kind"), el("th", {class: "number"}, "kernels"), el("th", {class: "number"}, "best"),
        forms.map(([name]) => el("th", {class: "number"}, name)), el("th", {class: "number"}, "source kept"))),
      el("tbody", {}, groups.map(([name, own]) => el("tr", {}, el("th", {scope: "row"}, name), el("td", {class: "number"}, own.length),
        cell(own.map(kernel => kernel.speed).filter(Boolean)), forms.map(([, form]) => cell(of(own, form))),
        el("td", {class: "number"}, own.filter(kernel => kernel.recommended === 0).length)))))));
}

const COLUMNS = [
  {key: "order", title: "Kernel", value: kernel => kernel.id},
  {key: "verdict", title: "Verdict", value: kernel => kernel.worst * 10 + !kernel.ok},
  {key: "seconds", title: "Time", value: kernel => kernel.seconds, number: true, down: true},
  {key: "prover", title: "Solver", value: kernel => kernel.prover, number: true, down: true},
  ...(MEASURED ? [{key: "speed", title: "Speed", value: kernel => kernel.speed, number: true, down: true}] : []),
];

function matches(kernel) {
  if (state.suite >= 0 && kernel.suite !== state.suite) return false;
  if (state.style >= 0 && kernel.style !== state.style) return false;
  const asked = state.target >= 0 ? [kernel.results[state.target]] : kernel.results;
  if (state.verdict || state.target >= 0) {
    const good = result => state.verdict === "" ? result
      : state.verdict === "?" ? !result
      : result && (state.verdict === "!" ? !result.ok : VERDICTS[result.verdict] === state.verdict);
    if (!asked.some(good)) return false;
  }
  return state.words.every(word => kernel.text.includes(word));
}

function refresh() {
  const column = COLUMNS.find(column => column.key === state.sort), sign = state.down ? -1 : 1;
  state.found = KERNELS.filter(matches);
  if (state.sort !== "order" || state.down) state.found.sort((a, b) => sign * (column.value(a) - column.value(b)) || a.id - b.id);
  state.page = Math.max(0, Math.min(state.page, Math.ceil(state.found.length / PAGE) - 1));
  byId("count").textContent = state.found.length === KERNELS.length ? plural(KERNELS.length, "kernel")
    : `${state.found.length.toLocaleString("en")} of ${plural(KERNELS.length, "kernel")}`;
  byId("kernels").tHead.replaceChildren(el("tr", {}, COLUMNS.map(heading)));
  byId("kernels").tBodies[0].replaceChildren(...state.found.slice(state.page * PAGE, (state.page + 1) * PAGE).map(row),
    ...(state.found.length ? [] : [el("tr", {class: "empty"}, el("td", {colspan: COLUMNS.length}, "No kernel is like that."))]));
  pages();
}

function heading(column) {
  const sorted = state.sort === column.key;
  const sort = () => {
    Object.assign(state, sorted ? {down: !state.down} : {sort: column.key, down: Boolean(column.down)}, {page: 0});
    refresh();
  };
  return el("th", {class: column.number ? "number" : "", "aria-sort": sorted ? (state.down ? "descending" : "ascending") : "none"},
    el("button", {class: "plain", onclick: sort}, column.title, el("span", {class: "arrow"}, sorted ? (state.down ? " \u2193" : " \u2191") : "")));
}

function row(kernel) {
  const style = STYLES[kernel.style];
  const speed = MEASURED ? el("td", {class: "number", "data-title": "speed"}, kernel.speed ? times(kernel.speed) : "") : null;
  return el("tr", {onclick: event => { if (!event.target.closest("a")) show(kernel.id); }},
    el("td", {class: "name"}, el("a", {href: "#kernel-" + kernel.id}, kernel.name), el("small", {}, SUITES[kernel.suite] + (style ? ` \u00b7 ${style}` : "")),
      kernel.reason ? el("small", {class: "reason"}, kernel.reason.split("\n")[0].slice(0, 300)) : null),
    el("td", {class: "chips"}, kernel.results.map((one, target) => one ? chip(one, TARGETS[target])
      : el("span", {class: "chip solver"}, el("b", {}, TARGETS[target]), "not yet"))),
    el("td", {class: "number", "data-title": "time"}, kernel.known.length ? duration(kernel.seconds) : ""),
    el("td", {class: "number", "data-title": "solver"}, kernel.prover ? duration(kernel.prover) : ""), speed);
}

function pages() {
  const last = Math.ceil(state.found.length / PAGE) - 1;
  const turn = page => { state.page = page; refresh(); byId("filters").scrollIntoView(); };
  const button = (text, page, name) => el("button", {type: "button", disabled: page < 0 || page > last || page === state.page, "aria-label": name, onclick: () => turn(page)}, text);
  byId("pages").replaceChildren(...(last < 1 ? [] : [button("\u00ab", 0, "First page"), button("\u2039", state.page - 1, "Page before"),
    el("span", {}, `page ${state.page + 1} of ${last + 1}`), button("\u203a", state.page + 1, "Page after"), button("\u00bb", last, "Last page")]));
}

// Set some filters and forget the others, as a click on a total does.
function choose(wanted) {
  Object.assign(state, {words: [], suite: -1, style: -1, target: -1, verdict: "", page: 0}, wanted);
  byId("search").value = "";
  for (const part of ["suite", "style", "target", "verdict"]) byId(part).value = String(state[part]);
  refresh();
  byId("filters").scrollIntoView({behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"});
}

function filters() {
  const options = (part, all, choices) => byId(part).replaceChildren(...[all, ...choices].map(([value, text]) => el("option", {value}, text)));
  const present = (names, part) => names.map((name, number) => [number, name || "(none)"]).filter(([number]) => KERNELS.some(kernel => kernel[part] === number));
  options("suite", [-1, "all suites"], present(SUITES, "suite"));
  options("style", [-1, "all styles"], present(STYLES, "style"));
  options("target", [-1, "all targets"], TARGETS.map((name, number) => [number, name]));
  options("verdict", ["", "all verdicts"], [["!", "not proved"], ...VERDICTS.map((name, number) => [name, word(number)]), ["?", "no result yet"]]);
  for (const part of ["suite", "style", "target"]) {
    byId(part).addEventListener("change", event => { state[part] = Number(event.target.value); state.page = 0; refresh(); });
  }
  byId("verdict").addEventListener("change", event => { state.verdict = event.target.value; state.page = 0; refresh(); });
  byId("search").addEventListener("input", event => {
    state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    state.page = 0;
    refresh();
  });
  byId("filters").addEventListener("submit", event => event.preventDefault());
  byId("filters").addEventListener("reset", event => { event.preventDefault(); choose({}); });
}
