/** What a refused request means: the errors in the body of the answer (RFC 8040, section 7.1; RFC 8072), or its status. */
import { type HttpAnswer, isRecord, PluginError, type PluginErrorDetail, parseXml } from "patchbay/plugin";
import { readDeviceJson } from "../shared/device-json.ts";

interface Told {
  readonly type?: string;
  readonly tag?: string;
  readonly app_tag?: string;
  readonly path?: string;
  readonly message?: string;
  /** Of the edit of a YANG Patch that failed. */
  readonly edit?: string;
}

/** Errors that are told; more are counted. */
const most = 20;
const longest = 1_000;
const toldChars = 2_000;

export function refusal(answer: HttpAnswer, command: string): PluginError {
  const { status, body, headers } = answer;
  const errors = errorsIn(answer);
  const why = errors.length === 0 ? meaningOf(status) : wordsOf(errors);
  const detail: PluginErrorDetail = {
    command,
    status,
    ...(errors.length === 0 ? { output: body.slice(0, toldChars) } : { errors: errors.slice(0, most) }),
  };
  if (status >= 300 && status <= 399)
    return new PluginError(
      "DriverError",
      `${command} was redirected (${status}${headers.location === undefined ? "" : ` to ${headers.location.slice(0, 200)}`}), which is not followed.`,
      { ...detail, outcome: "none" },
    );
  if (status === 401)
    return new PluginError("AuthenticationFailed", `The server rejected the login: ${why}.`, {
      ...detail,
      outcome: "none",
    });
  const message = `The server refused ${command} (${status}): ${why}.`;
  // An edit that was refused has done nothing; what failed within the server may have done a part.
  if (status >= 400 && status <= 499)
    return new PluginError("CommandError", message, { ...detail, outcome: "none" });
  const kind = errors.length > 0 ? "CommandError" : "DriverError";
  return new PluginError(kind, message, { ...detail, outcome: "unknown" });
}

const meanings: Readonly<Record<number, string>> = {
  400: "it is not valid",
  401: "user name or password is wrong, or the certificate is not known",
  403: "the user may not do that",
  404: "there is no such resource",
  405: "the resource does not allow that",
  406: "it does not have that encoding",
  409: "it is in conflict with what is there, or locked",
  412: "the resource has changed since",
  413: "it is too large",
  415: "it does not read that encoding",
  500: "it failed",
  501: "it cannot do that",
  503: "it is not available",
};
const meaningOf = (status: number) => meanings[status] ?? "no reason was given";

function wordsOf(errors: readonly Told[]): string {
  const words = errors.slice(0, 3).map(({ tag, message, path, edit }) => {
    const about = [edit === undefined ? [] : `edit ${edit}`, path === undefined ? [] : `at ${path}`].flat();
    const what = [tag ?? [], message ?? []].flat().join(": ").replace(/\.$/, "");
    return about.length === 0 ? what : `${what} (${about.join(", ")})`;
  });
  const rest = errors.length - words.length;
  return `${words.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

function errorsIn({ body, headers }: HttpAnswer): readonly Told[] {
  const type = headers["content-type"] ?? "";
  try {
    if (/[/+]json\b/i.test(type) || /^\s*\{/.test(body)) return inJson(readDeviceJson(body));
    if (/[/+]xml\b/i.test(type)) return inXml(body);
  } catch {
    // A body that cannot be read is quoted as it is.
  }
  return [];
}

const member = (value: unknown, name: string): unknown => {
  if (!isRecord(value)) return undefined;
  const key = Object.keys(value).find((key) => key === name || key.endsWith(`:${name}`));
  return key === undefined ? undefined : value[key];
};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function inJson(value: unknown): readonly Told[] {
  const status = member(value, "yang-patch-status");
  const of = (errors: unknown, edit?: unknown) =>
    listOf(member(errors, "error")).map((error) =>
      told((name) => {
        const text = member(error, name);
        return typeof text === "string" ? text : undefined;
      }, edit),
    );
  if (status === undefined) return of(member(value, "errors"));
  const edits = listOf(member(member(status, "edit-status"), "edit"));
  return [
    ...of(member(status, "errors")),
    ...edits.flatMap((edit) => of(member(edit, "errors"), member(edit, "edit-id"))),
  ];
}

function inXml(body: string): readonly Told[] {
  const root = parseXml(body, { elements: 10_000, depth: 64 });
  const of = (path: string, from = root, edit?: string) =>
    from.all(path).map((error) => told((name) => error.textOf(name) || undefined, edit));
  if (root.name === "errors") return of("error");
  if (root.name !== "yang-patch-status") return [];
  const edits = root.all("edit-status/edit");
  return [
    ...of("errors/error"),
    ...edits.flatMap((edit) => of("errors/error", edit, edit.textOf("edit-id"))),
  ];
}

function told(read: (name: string) => string | undefined, edit?: unknown): Told {
  const named = {
    type: read("error-type"),
    tag: read("error-tag"),
    app_tag: read("error-app-tag"),
    path: read("error-path"),
    message: read("error-message"),
    edit: typeof edit === "string" ? edit : undefined,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, text.replace(/\s+/g, " ").trim().slice(0, longest)]],
    ),
  );
}
