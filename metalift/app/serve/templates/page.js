"use strict";

// All text that is shown is text: nothing of a source, of a link or of an answer is taken for markup.

const options = JSON.parse(document.getElementById("options").textContent);
const nonce = document.querySelector("meta[name=nonce]").content;
const PAUSE = 500; // milliseconds after the last key until what was typed is lifted
const LONGEST = 200000; // characters of a link
const part = (id) => document.getElementById(id);
const fields = ["language", "target", "style", "signature"];

const make = (tag, text = "", kind = "") => {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = kind;
  return made;
};

// The secret is taken out of the address, so that it is in no copy of it; it is kept for links that are opened later.
const fragment = new URLSearchParams(location.hash.slice(1));
let token = fragment.get("token") || "";
try {
  if (token) localStorage.setItem("token", token);
  else token = localStorage.getItem("token") || "";
} catch { /* storage is forbidden: links need the address */ }

let trusted = true; // whether the source may be compiled and run: what a link brought is only after the button was pressed
let filling = false;
let timer = 0;
let running = null; // what ends the lift that is under way
let began = 0;
let state = fresh();

const source = Editing.editor(part("source"), { label: "Source", nonce, changed, lift: pressed });
const code = Editing.editor(part("code"), { label: "Code", nonce });

function fresh() {
  return { names: [], found: new Map(), chosen: "", target: "", stage: "", seconds: {}, ended: false };
}

function fill(list, names) {
  part(list).replaceChildren(...names.map((name) => { const one = make("option", name); one.value = name; return one; }));
}

// Put a source in, without lifting it.
function put({ text, language, target, style, signature, nests }) {
  filling = true;
  const wanted = { language, target, style, signature };
  for (const field of fields) {
    const known = [...part(field).options].map((each) => each.value);
    if (known.includes(wanted[field])) part(field).value = wanted[field];
  }
  part("nests").checked = nests === true;
  source.set(text, part("language").value);
  filling = false;
}

function changed() {
  source.mark([]);
  if (!filling) soon();
}

function soon() {
  clearTimeout(timer);
  if (trusted && part("typing").checked) timer = setTimeout(lift, PAUSE);
}

function pressed() {
  trusted = true;
  lift();
}

function stop() {
  clearTimeout(timer);
  if (running) running.abort();
  running = null;
}

function complain(text) {
  part("problem").textContent = text;
  part("problem").hidden = !text;
}

async function lift() {
  if (!trusted) return;
  stop();
  part("linked").hidden = true;
  complain("");
  const own = running = new AbortController();
  const chosen = state.chosen;
  state = { ...fresh(), chosen, target: part("target").value };
  began = performance.now();
  show();
  const body = {
    source: source.text(), language: part("language").value, to: [part("target").value], style: part("style").value,
    signature: part("signature").value, nests: part("nests").checked,
  };
  try {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const answer = await fetch("/lift", { method: "POST", headers, body: JSON.stringify(body), signal: own.signal });
    if (!answer.ok) throw new Error((await answer.json()).message);
    await events(answer.body.getReader(), (name, data) => { if (running === own) heard(name, data); });
    if (running === own && !state.ended) throw new Error("the server ended");
  } catch (problem) {
    if (running === own) { complain(String(problem.message)); state.ended = true; show(); }
  }
  if (running === own) running = null;
}

// Server-sent events of a stream: each is two lines, its name and its data.
async function events(reader, tell) {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const whole = text.split("\n\n");
    text = whole.pop();
    for (const one of whole) {
      const [name, data] = one.split("\n");
      tell(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  }
}

function heard(name, data) {
  const passed = (performance.now() - began) / 1000;
  if (name === "begins") state.names = data.functions;
  if (name === "stage") state.stage = data.stage;
  if (name === "draft") {
    state.found.set(data.function, { draft: data.code });
    state.seconds.code = state.seconds.code || passed;
  }
  if (name === "function") {
    if (!state.names.includes(data.name)) state.names.push(data.name);
    state.found.set(data.name, data);
  }
  if (name === "done" || name === "failed") {
    state.ended = true;
    state.seconds.all = passed;
    complain(data.message || "");
  }
  if (!state.names.includes(state.chosen)) state.chosen = state.names[0] || "";
  show();
}

function show() {
  const { code: first, all } = state.seconds;
  const times = [first && `code after ${first.toFixed(2)} s`, all && `all after ${all.toFixed(2)} s`].filter(Boolean).join(", ");
  part("status").textContent = state.ended ? times || "nothing was lifted" : `${state.stage || "begins"} ... ${times}`;
  document.body.dataset.state = state.ended ? "ended" : "runs";
  part("functions").replaceChildren(...state.names.map(chip));
  const chosen = state.found.get(state.chosen);
  shown(chosen || {});
}

function chip(name) {
  const found = state.found.get(name);
  const made = make("button", name);
  made.setAttribute("aria-pressed", String(name === state.chosen));
  made.append(" ", make("small", found && found.verdict ? word(found) : found ? "not yet proved" : "...", kind(found)));
  made.addEventListener("click", () => { state.chosen = name; show(); if (found && found.line) source.go(found.line); });
  return made;
}

const word = (found) => (found.ok || found.verdict !== "PROVED" ? found.verdict : "PROVED, not run or differs");
const kind = (found) => (!found || !found.verdict ? "draft" : found.ok ? "good" : "bad");

function shown(found) {
  const target = (found.targets || {})[state.target];
  const text = found.draft || (target && target.code) || "";
  part("coded").hidden = !text;
  code.set(text, text.startsWith('"""') || (target && target.python) ? "python" : "c++");
  part("verdict").className = kind(found);
  part("verdict").textContent = found.draft ? "not yet proved" : target ? said(target) : "";
  source.mark((found.reasons || []).map((reason) => reason.line));
  part("about").replaceChildren(...reasons(found));
  part("more").replaceChildren(...details(found, target));
}

// What became of a target, in words.
function said(target) {
  const tried = { agrees: `agrees with the source on ${target.inputs} inputs`, differs: "differs from the source" }[target.checked];
  return [target.verdict, tried || "not run"].join(", ");
}

function* reasons(found) {
  const told = (found.reasons || []).map((reason) => {
    const made = make("li");
    const place = make("button", `line ${reason.line}`);
    place.addEventListener("click", () => source.go(reason.line));
    made.append(place, ` ${reason.what} [${reason.code}]`, ...reason.help.map((each) => make("div", each, "soft")));
    return made;
  });
  if (told.length) yield* [make("h2", `${found.name}: ${found.verdict}`), list(told)];
}

const list = (items) => { const made = make("ul"); made.append(...items); return made; };

function* details(found, target) {
  if (!found.verdict) return;
  if (found.summary) yield* [make("h2", "Summary"), make("pre", found.summary)];
  const assumed = [...found.assumptions, ...(target ? target.assumptions : [])];
  if (assumed.length) yield make("h2", "Assumptions");
  if (assumed.length) yield list(assumed.map(assumption));
  if (found.obligations.length) {
    const proved = found.obligations.filter((one) => one.verdict === "PROVED").length;
    yield make("h2", `Obligations: ${proved} of ${found.obligations.length} proved`);
    yield table(found.obligations);
  }
  if (target && target.engine) yield* [make("h2", "Comparison"), compared(target)];
  const notes = found.notes.map((note) => make("li", `line ${note.line}: ${note.message}`));
  if (notes.length) yield* [make("h2", "Notes"), list(notes)];
}

function assumption(one) {
  const made = make("li", one.text);
  made.append(make("span", ` [${one.origin}]${one.checked === "guard" ? ", checked by the code" : ""}`, "soft"));
  return made;
}

function table(obligations) {
  const made = make("table");
  for (const one of obligations) {
    const row = make("tr");
    row.append(make("td", one.name), make("td", one.verdict, one.verdict === "PROVED" ? "good" : "bad"), make("td", `${one.seconds} s`, "soft"));
    made.append(row);
  }
  return made;
}

function compared(target) {
  const error = target.max_rel_error === null ? "" : `, largest difference ${target.max_rel_error}`;
  return make("p", `${target.engine}: ${target.checked.toLowerCase().replace("_", " ")}${target.inputs ? ` on ${target.inputs} inputs` : ""}${error}`);
}

// Links hold the source and the choices, in the fragment, which no server gets; never the secret.

function packed(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_");
}

function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  const found = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  if (typeof found.text !== "string") throw new Error("no text");
  return found;
}

function linkedSource(given) {
  stop();
  trusted = false;
  state = { ...fresh(), ended: true };
  try {
    if (given.length > LONGEST) throw new Error("too long");
    put(unpacked(given));
    complain("");
    part("linked").hidden = false;
  } catch {
    complain("The link holds no source that can be read.");
  }
  show();
  part("status").textContent = "";
  document.body.dataset.state = "linked";
}

function example(number) {
  const { source: text, ...more } = options.examples[number];
  put({ text: text.trimStart(), ...more, target: number || !options.first.length ? more.target : part("target").value });
  trusted = true;
  lift();
}

part("link").addEventListener("click", async () => {
  const choices = Object.fromEntries(fields.map((field) => [field, part(field).value]));
  const link = `${location.origin}/#source=${packed({ text: source.text(), ...choices, nests: part("nests").checked })}`;
  await navigator.clipboard.writeText(link);
  part("status").textContent = "the link is copied: it holds the source, and not the secret of this server";
});
part("copy").addEventListener("click", () => navigator.clipboard.writeText(code.text()));
part("lift").addEventListener("click", pressed);
part("example").addEventListener("change", () => example(part("example").selectedIndex));
part("language").addEventListener("change", () => source.set(source.text(), part("language").value));
for (const field of [...fields, "nests", "typing"]) part(field).addEventListener("change", soon);
window.addEventListener("hashchange", () => opened(new URLSearchParams(location.hash.slice(1))));

function opened(given) {
  history.replaceState(null, "", "/");
  if (given.has("source")) linkedSource(given.get("source"));
}

fill("language", options.languages);
fill("target", options.targets);
fill("style", options.styles);
fill("signature", options.signatures);
part("example").replaceChildren(...options.examples.map((one) => make("option", one.title)));
part("target").value = options.first[0] || options.targets[0];
opened(fragment);
if (!fragment.has("source")) {
  if (token) example(0);
  else complain("Open the address that metalift serve printed: it has the secret of this run.");
}
