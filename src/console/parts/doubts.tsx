/** Names the devices on which lines may already be in force, before they are sent again. */
import { text } from "../text.ts";

export interface DoubtsProps {
  readonly of: readonly { readonly id: string; readonly name: string; readonly sent: readonly string[] }[];
}

/** Devices whose lines are shown; the others are named. */
const maxLines = 10;

export function Doubts({ of }: DoubtsProps) {
  if (of.length === 0) return null;
  return (
    <>
      <p>{text.mayRunTwice}</p>
      <dl class="facts">
        {of.slice(0, maxLines).map(({ id, name, sent }) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd>
              <code>{sent.length === 0 ? text.linesUnknown : sent.join(" | ")}</code>
            </dd>
          </div>
        ))}
      </dl>
      {of.length > maxLines && (
        <p>
          And {of.length - maxLines} more:{" "}
          {of
            .slice(maxLines)
            .map(({ name }) => name)
            .join(", ")}
        </p>
      )}
    </>
  );
}
