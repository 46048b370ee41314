/** A text editor with line numbers that marks error positions. */
import { useId, useRef } from "preact/hooks";

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based; absent: the whole line. */
  readonly column?: number;
}

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly wrong?: Position;
}

/** The marks are in a layer behind the field with identical text metrics, and scroll with it. */
export function Editor({ label, value, onInput, wrong }: EditorProps) {
  const behind = useRef<HTMLPreElement>(null);
  const id = useId();
  const follow = ({ scrollTop, scrollLeft }: HTMLTextAreaElement) => {
    if (!behind.current) return;
    behind.current.scrollTop = scrollTop;
    behind.current.scrollLeft = scrollLeft;
  };
  return (
    <div>
      <label for={id}>{label}</label>
      <div class="editor">
        <pre ref={behind} aria-hidden="true">
          {value.split("\n").map((line, index) => (
            <Line key={String(index)} text={line} wrong={wrong?.line === index + 1 ? wrong : undefined} />
          ))}
        </pre>
        <textarea
          id={id}
          rows={16}
          wrap="off"
          spellcheck={false}
          value={value}
          aria-invalid={wrong !== undefined}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={(event) => follow(event.currentTarget)}
        />
      </div>
    </div>
  );
}

function Line({ text, wrong }: { text: string; wrong: Position | undefined }) {
  if (wrong === undefined) return <div>{text}</div>;
  const at = wrong.column === undefined ? undefined : Math.min(wrong.column - 1, text.length);
  if (at === undefined)
    return (
      <div class="wrong">
        <mark>{text || " "}</mark>
      </div>
    );
  return (
    <div class="wrong">
      {text.slice(0, at)}
      <mark>{text.slice(at, at + 1) || " "}</mark>
      {text.slice(at + 1)}
    </div>
  );
}
