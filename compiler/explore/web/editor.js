// Editors and read-only views: CodeMirror with the languages of the page, lines linked by colour, lines of a difference.

import { EditorState, StateEffect, StateField, RangeSetBuilder, Compartment } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, Decoration, highlightActiveLine, drawSelection } from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { tags } from "@lezer/highlight";

const words = (text) => new Set(text.split(" "));

const LANGUAGES = {
  glsl: {
    comment: "//",
    block: true,
    preprocessor: /^#\s*\w+/,
    keywords: words(
      "if else for while do switch case default break continue return discard const uniform in out inout buffer shared struct layout " +
        "attribute varying flat smooth noperspective centroid sample precision highp mediump lowp invariant precise coherent volatile " +
        "restrict readonly writeonly subroutine patch true false",
    ),
    types: /^(void|bool|int|uint|float|double|[biud]?vec[234]|d?mat[234](x[234])?|[iu]?(sampler|image|texture|subpassInput)\w*)$/,
  },
  ir: {
    comment: ";",
    keywords: words("foil shader form file fn entry no_entry if else loop break continue return call phi in out ubo ssbo uniform struct function_temp gathered const undef"),
    value: /^%[\w.]+/,
    label: /^b\d+(?=:)/,
    global: /^&\w+/,
    types: /^(\d+x\d+|float|int|uint|bool|vec[234]|[iu]vec[234]|mat[234]|sampled|variables|slots|target)$/,
  },
  air: {
    comment: ";",
    keywords: words("define declare target datalayout triple source_filename attributes br ret switch phi call tail label to align nounwind type private unnamed_addr addrspace constant global local_unnamed_addr undef true false zeroinitializer"),
    value: /^%[\w.$-]+/,
    global: /^@[\w.$"-]+/,
    label: /^[\w.]+(?=:)/,
    meta: /^![\w.]+/,
    types: /^(void|i\d+|half|float|double|x|\d+x)$/,
  },
  spirv: {
    comment: ";",
    keywords: { has: (word) => /^Op[A-Z]\w*$/.test(word) },
    value: /^%\w+/,
    types: /^(?!Op)[A-Z]\w+$/,
  },
};

const LANGUAGE_CACHE = {};
function language(name) {
  if (name === "foil") name = "ir";
  if (!LANGUAGES[name]) return [];
  return (LANGUAGE_CACHE[name] ??= StreamLanguage.define({
    name,
    startState: () => ({ comment: false }),
    token(stream, state) {
      const rules = LANGUAGES[name];
      if (state.comment || (rules.block && stream.match("/*"))) {
        state.comment = !stream.match(/^.*?\*\//);
        if (state.comment) stream.skipToEnd();
        return "comment";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(rules.comment)) {
        stream.skipToEnd();
        return "comment";
      }
      if (rules.preprocessor && stream.match(rules.preprocessor)) return "meta";
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (rules.label && stream.match(rules.label)) return "labelName";
      if (rules.value && stream.match(rules.value)) return "variableName";
      if (rules.global && stream.match(rules.global)) return "propertyName";
      if (rules.meta && stream.match(rules.meta)) return "meta";
      if (name === "ir" && stream.match(/^@\d+(:\d+)?/)) return "comment";
      if (stream.match(/^-?0x[\dA-Fa-f]+/)) return "number";
      const word = stream.match(/^[A-Za-z_]\w*|^\d+x\d*/);
      if (word) {
        if (rules.keywords.has(word[0])) return "keyword";
        if (rules.types?.test(word[0])) return "typeName";
        return name === "glsl" && stream.match(/^\s*\(/, false) ? "propertyName" : null;
      }
      if (stream.match(/^-?(0x[\da-f]+|\d+\.?\d*(e[-+]?\d+)?|\.\d+(e[-+]?\d+)?)/i)) return "number";
      stream.next();
      return null;
    },
    languageData: { commentTokens: { line: LANGUAGES[name].comment } },
  }));
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)" },
  { tag: tags.typeName, color: "var(--type)" },
  { tag: tags.comment, color: "var(--comment)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.meta, color: "var(--meta)" },
  { tag: tags.variableName, color: "var(--value)" },
  { tag: tags.propertyName, color: "var(--global)" },
  { tag: tags.labelName, color: "var(--label)", fontWeight: "600" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", color: "var(--text)", backgroundColor: "var(--surface)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--faint)", border: "none" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)" },
  "&.cm-focused": { outline: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)" },
});

// The source line of each line of a text (0: none), the line that the pointer is on, and marks of a difference.
const setLinks = StateEffect.define();
const setActive = StateEffect.define();

const links = StateField.define({
  create: () => ({ lines: [], marks: [], active: 0, set: Decoration.none }),
  update(value, transaction) {
    let { lines, marks, active } = value;
    let changed = transaction.docChanged;
    for (const effect of transaction.effects) {
      if (effect.is(setLinks)) ({ lines, marks } = effect.value), (changed = true);
      if (effect.is(setActive)) (active = effect.value), (changed = true);
    }
    if (!changed) return value;
    const builder = new RangeSetBuilder();
    const doc = transaction.state.doc;
    for (let n = 1; n <= doc.lines; n++) {
      const line = lines[n - 1] ?? 0;
      const classes = [];
      if (line) classes.push(`link link${line % 8}`);
      if (line && line === active) classes.push("linked");
      if (marks[n - 1] === "+") classes.push("added");
      if (marks[n - 1] === "-") classes.push("removed");
      if (classes.length) {
        const at = doc.line(n).from;
        builder.add(at, at, Decoration.line({ class: classes.join(" ") }));
      }
    }
    return { lines, marks, active, set: builder.finish() };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.set),
});

/** The one stretch in which two texts differ: what stays is not drawn again. */
function change(old, text) {
  if (old === text) return [];
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old.charCodeAt(from) === text.charCodeAt(from)) from++;
  let end = 0;
  while (end < most - from && old.charCodeAt(old.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end++;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

/** A view of text; an editor if `onChange` is there. `onHover` is told the source line at the pointer. */
export class TextView {
  constructor(parent, { onChange, onHover, label }) {
    this.language = new Compartment();
    this.quiet = false;
    const editable = Boolean(onChange);
    const hover = (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
      const number = view.state.doc.lineAt(at).number;
      onHover(view.state.field(links).lines[number - 1] ?? 0);
    };
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          editable ? [history(), lintGutter(), highlightActiveLine(), drawSelection(), bracketMatching(), indentUnit.of("    ")] : [],
          editable ? [] : [EditorState.readOnly.of(true)],
          search({ top: true }),
          highlightSelectionMatches(),
          keymap.of([...(editable ? [indentWithTab, ...historyKeymap] : []), ...searchKeymap, ...defaultKeymap]),
          this.language.of([]),
          syntaxHighlighting(colours),
          theme,
          links,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.domEventHandlers({ mousemove: hover, mouseleave: () => onHover(0) }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.quiet) onChange?.(this.text());
            if (editable && update.selectionSet && update.view.hasFocus) {
              onHover(update.state.field(links).lines[update.state.doc.lineAt(update.state.selection.main.head).number - 1] ?? 0);
            }
          }),
        ],
      }),
    });
  }

  text() {
    return this.view.state.doc.toString();
  }

  /** Replaces the text; `lines` and `marks` belong to its lines. */
  set(text, { lines = [], marks = [], language: name, keepScroll = true } = {}) {
    const old = this.text();
    const effects = [setLinks.of({ lines, marks })];
    if (name !== this.languageName) {
      this.languageName = name;
      effects.push(this.language.reconfigure(language(name)));
    }
    const top = this.view.scrollDOM.scrollTop;
    this.quiet = true;
    this.view.dispatch({ changes: change(old, text), effects });
    this.quiet = false;
    if (keepScroll) this.view.scrollDOM.scrollTop = top;
    else this.view.scrollDOM.scrollTo(0, 0);
  }

  link(lines) {
    this.view.dispatch({ effects: setLinks.of({ lines, marks: [] }) });
  }

  activate(line, scroll) {
    const state = this.view.state.field(links);
    if (state.active === line) return;
    const effects = [setActive.of(line)];
    const index = line ? state.lines.indexOf(line) : -1;
    if (scroll && index >= 0) {
      const at = this.view.state.doc.line(Math.min(index + 1, this.view.state.doc.lines)).from;
      const block = this.view.lineBlockAt(at);
      const { scrollTop, clientHeight } = this.view.scrollDOM;
      if (block.top < scrollTop || block.bottom > scrollTop + clientHeight) effects.push(EditorView.scrollIntoView(at, { y: "center" }));
    }
    this.view.dispatch({ effects });
  }

  /** Shows diagnostics at their lines. */
  diagnose(list) {
    const doc = this.view.state.doc;
    const place = ({ line, column, severity, code, message, help }) => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
      const word = /^\w+/.exec(doc.sliceString(from, at.to))?.[0].length ?? 1;
      const to = column ? Math.min(from + word, at.to) : at.to;
      return { from, to: Math.max(to, from), severity, message: `${code}: ${message}${help ? `\n${help}` : ""}` };
    };
    this.view.dispatch(setDiagnostics(this.view.state, list.filter((d) => d.line).map(place)));
  }

  goTo(line, column) {
    const doc = this.view.state.doc;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const anchor = Math.min(at.from + Math.max(column - 1, 0), at.to);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }
}
