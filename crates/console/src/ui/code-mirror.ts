// CodeMirror in a shadow tree. In the page itself it would write a style element, which the page's policy forbids; in a
// shadow tree it adopts style sheets.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, Language, defineLanguageFacet, syntaxHighlighting }
  from "@codemirror/language";
import { Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers }
  from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { languageOf, parserOf } from "./code-languages";

export interface OpenEditor {
  focus: () => void;
  /** Replaces the whole content. */
  replace: (content: string) => void;
  /** Takes the colours of another language. */
  speak: (language: string) => void;
  close: () => void;
}

interface Options {
  label: string;
  content: string;
  language: string;
  input: (content: string) => void;
}

const COLORS = tagHighlighter([
  { tag: tags.comment, class: "t-comment" },
  { tag: [tags.string, tags.character, tags.regexp], class: "t-string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "t-number" },
  { tag: [tags.keyword, tags.tagName], class: "t-keyword" },
]);

/** The colours are the page's, whose properties reach into shadow trees. */
const theme = EditorView.theme({
  "&": { color: "var(--n12)", backgroundColor: "var(--n1)", height: "100%" },
  ".cm-scroller": { font: "13px/20px var(--mono)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--n12)", padding: "8px 0" },
  ".cm-gutters": { color: "var(--n10)", backgroundColor: "var(--n2)", borderRight: "1px solid var(--n4)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--n3)" },
  ".cm-cursor": { borderLeftColor: "var(--n12)" },
  "&.cm-focused": { outline: "none" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft) !important" },
  ".cm-matchingBracket": { outline: "1px solid var(--n8)", backgroundColor: "transparent !important" },
  ".t-comment": { color: "var(--t-comment)", fontStyle: "italic" },
  ".t-string": { color: "var(--t-string)" },
  ".t-number": { color: "var(--t-number)" },
  ".t-keyword": { color: "var(--t-keyword)", fontWeight: "600" },
});

/** Opens an editor in an element. */
export function openEditor(place: HTMLElement, { label, content, language, input }: Options): OpenEditor {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open", delegatesFocus: true });
  const spoken = new Compartment();
  const view = new EditorView({ root, parent: root, state: EditorState.create({ doc: content, extensions: [
    lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), indentOnInput(),
    bracketMatching(), indentUnit.of("    "), syntaxHighlighting(COLORS), theme, spoken.of([]),
    keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) input(update.state.doc.toString());
    }),
  ] }) });
  const speak = (now: string) => {
    const known = languageOf(now);
    if (!known) return view.dispatch({ effects: spoken.reconfigure([]) });
    void parserOf(known).then((parser) =>
      view.dispatch({ effects: spoken.reconfigure(new Language(defineLanguageFacet(), parser, [], known)) }), () => {});
  };
  speak(language);
  return {
    focus: () => view.focus(),
    replace: (now) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: now },
      annotations: Transaction.userEvent.of("replace") }),
    speak,
    close: () => view.destroy(),
  };
}
