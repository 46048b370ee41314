/** Retry button: asks for secrets that the service has not kept, then sends the request again. */

import { useState } from "preact/hooks";
import * as v from "valibot";
import { ApiError } from "../reading/api.ts";
import { issues } from "../shapes/shapes.ts";
import { labelOf } from "../text/labels.ts";
import { text } from "../text/text.ts";
import { Answers, Asker, useFocusOf } from "./action.tsx";
import { Pre } from "./pre.tsx";
import { Problem } from "./problem.tsx";

interface RetryProps {
  readonly label: string;
  /** Confirmation text. */
  readonly sure: string;
  /** Pushes that may be applied twice: the confirmation names them. */
  readonly doubts?: DoubtsProps["of"];
  /** @param connection fields entered again; initially none. */
  readonly send: (connection: Readonly<Record<string, string>>) => Promise<void>;
}

const prefix = "connection_args.";

export function Retry({ label, sure, doubts = [], send }: RetryProps) {
  const [state, setState] = useState<"rest" | "asking" | "sending">("rest");
  const [error, setError] = useState<unknown>();
  const needed = neededOf(error);
  const asking = state === "asking";
  const shown = useFocusOf<HTMLSpanElement>(asking);
  const run = async (connection: Readonly<Record<string, string>>) => {
    setState("sending");
    try {
      await send(connection);
      setError(undefined);
    } catch (problem) {
      setError(problem);
    } finally {
      setState("rest");
    }
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = [...new FormData(event.currentTarget)].map(
      ([name, value]) => [name, String(value)] as const,
    );
    void run(Object.fromEntries(fields.filter(([, value]) => value !== "")));
  };
  if (needed.length > 0)
    return (
      <form class="fields" onSubmit={submit} autocomplete="off">
        {needed.map((name) => (
          <div key={name}>
            <label for={`retry-${name}`}>{labelOf(name)}</label>
            <input id={`retry-${name}`} name={name} type="password" autocomplete="new-password" />
          </div>
        ))}
        <button type="submit" disabled={state === "sending"}>
          {label}
        </button>
        <Problem error={error} />
      </form>
    );
  return (
    <>
      <Asker asking={asking} shown={shown}>
        <button
          type="button"
          class={doubts.length > 0 ? "careful" : undefined}
          disabled={state !== "rest"}
          onClick={() => setState("asking")}
        >
          {label}
        </button>
      </Asker>
      {asking ? (
        <span key="question" class="asking" role="alertdialog" aria-label={sure} tabIndex={-1} ref={shown}>
          <Doubts of={doubts} />
          {sure}{" "}
          <Answers
            label={label}
            look={doubts.length > 0 ? "danger" : undefined}
            yes={() => void run({})}
            no={() => setState("rest")}
          />
        </span>
      ) : (
        <Problem error={error} />
      )}
    </>
  );
}

/** Connection fields that the error asks for. */
function neededOf(error: unknown): readonly string[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  const named = v.safeParse(issues, error.data);
  if (!named.success) return [];
  const fields = named.output
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path }) => path.slice(prefix.length));
  return [...new Set(fields)];
}

/** Names the devices on which lines may already be in force, before they are sent again. */
interface DoubtsProps {
  readonly of: readonly { readonly id: string; readonly name: string; readonly sent: readonly string[] }[];
}

/** Devices whose lines are shown; the others are named. */
const maxLines = 10;

function Doubts({ of }: DoubtsProps) {
  if (of.length === 0) return null;
  return (
    <>
      <p>{text.mayRunTwice}</p>
      {of.slice(0, maxLines).map(({ id, name, sent }) => (
        <div key={id}>
          <strong>{name}</strong>
          {sent.length === 0 ? ` ${text.linesUnknown}` : <Pre class="lines">{sent.join("\n")}</Pre>}
        </div>
      ))}
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
