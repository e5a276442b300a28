// The editor of the playground: CodeMirror with what it needs, behind four functions. Bundled by build.js.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const marking = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(found, change) {
    const asked = change.effects.find((effect) => effect.is(marking));
    if (!asked) return found.map(change.changes);
    const lines = [...new Set(asked.value)].filter((line) => 1 <= line && line <= change.state.doc.lines);
    const starts = lines.sort((one, other) => one - other).map((line) => change.state.doc.line(line).from);
    return Decoration.set(starts.map((start) => Decoration.line({ class: "marked" }).range(start)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

const grammars = { python: () => python(), c: () => cpp(), "c++": () => cpp() };

const common = [lineNumbers(), drawSelection(), bracketMatching(), highlightSelectionMatches(), syntaxHighlighting(classHighlighter)];
const writable = [
  highlightActiveLine(), highlightActiveLineGutter(), history(), indentOnInput(), closeBrackets(), indentUnit.of("    "), marks,
];

// An editor in an element: `label` is its name for screen readers, `nonce` that of the page's policy. Without `changed`, which is
// called after each change, its text can be read and copied only. `lift` is what Ctrl-Enter does.
export function editor(parent, { label, nonce, changed, lift }) {
  const language = new Compartment();
  const keys = changed
    ? [{ key: "Mod-Enter", run: () => { lift(); return true; } }, ...closeBracketsKeymap, ...historyKeymap, indentWithTab]
    : [];
  const extensions = [
    EditorView.cspNonce.of(nonce),
    EditorView.contentAttributes.of({ "aria-label": label }),
    keymap.of([...keys, ...searchKeymap, ...defaultKeymap]),
    search({ top: true }),
    common,
    changed ? writable : [EditorState.readOnly.of(true), EditorView.lineWrapping],
    EditorView.updateListener.of((update) => { if (update.docChanged && changed) changed(); }),
    language.of([]),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  let last = "";
  return {
    text: () => view.state.doc.toString(),
    // The text as a whole; what was there can be had back by undoing.
    set(text, name) {
      const effects = name === last ? [] : [language.reconfigure(grammars[name] ? grammars[name]() : [])];
      last = name;
      const same = text === view.state.doc.toString();
      view.dispatch({ effects, changes: same ? undefined : { from: 0, to: view.state.doc.length, insert: text } });
    },
    // The cursor at a line, which is brought into view.
    go(line) {
      const place = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines)).from;
      view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
      view.focus();
    },
    mark: (lines) => view.dispatch({ effects: marking.of(lines) }),
  };
}
