/** An error in the API's words, with the fields that it names. */
import * as v from "valibot";
import { ApiError, reachable, Unreachable } from "../reading/api.ts";
import { issues } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";
import { useAlert } from "./alert.tsx";

export function Problem({ error }: { error: unknown }) {
  // That the service does not answer is said once, at the end of the window.
  const isAway = error instanceof Unreachable && !reachable.value;
  const isThere = error !== undefined && error !== null && !isAway;
  const api = error instanceof ApiError ? error : undefined;
  const listed = v.safeParse(issues, api?.data);
  const fields = listed.success ? listed.output : [];
  const words = typeof api?.data === "string" && api.data !== api.message ? api.data : "";
  const message = isThere ? messageOf(error) : "";
  useAlert([message, words, ...fields.map(({ path, message }) => `${path} ${message}`)].join(" ").trim());
  if (!isThere) return null;
  return (
    <div class="problem">
      <p>{message}</p>
      {words && <p>{words}</p>}
      {fields.length > 0 && (
        <ul>
          {fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function messageOf(error: unknown): string {
  // It answers again, but not to what was asked then.
  if (error instanceof Unreachable) return text.unanswered;
  return error instanceof Error ? error.message : String(error);
}
