/** An error in the API's words, with the fields that it names. */
import * as v from "valibot";
import { ApiError } from "../reading/api.ts";
import { issues } from "../shapes/shapes.ts";
import { text } from "../text/text.ts";

export function Problem({ error }: { error: unknown }) {
  if (error === undefined || error === null) return null;
  const api = error instanceof ApiError ? error : undefined;
  const listed = v.safeParse(issues, api?.data);
  const words = typeof api?.data === "string" && api.data !== api.message ? api.data : undefined;
  return (
    <div class="problem" role="alert">
      <p>{messageOf(error)}</p>
      {words && <p>{words}</p>}
      {listed.success && (
        <ul>
          {listed.output.map(({ path, message }) => (
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
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return text.away;
  return String(error);
}
