/** The datastore of a simulated RESTCONF server: edits that are checked, done as a whole, and change its entity tag. */
import { isRecord } from "../../../base/json/members.ts";
import {
  check,
  checkWhole,
  type Data,
  entriesOf,
  holderOf,
  keyText,
  matches,
  merge,
  mergeMembers,
  Refusal,
  root,
  type Step,
  stepsOf,
  valueAt,
} from "./yang/data.ts";
import { initialConfiguration, initialState, modules } from "./yang/schema.ts";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Query = Readonly<Record<string, string>>;

export type RestconfStore = ReturnType<typeof createStore>;

const capability = (name: string) => `urn:ietf:params:restconf:capability:${name}:1.0`;
const capabilities = [
  ...["defaults", "depth", "fields", "with-defaults", "yang-patch"].map(capability),
  "urn:ietf:params:restconf:capability:defaults:1.0?basic-mode=explicit",
];

export function createStore(hostname: string) {
  let running: Data = initialConfiguration(hostname);
  const state = initialState(capabilities);
  let revision = 1;
  let modified = new Date(0);

  /** Does all of an edit or, if it throws, nothing. */
  function edited<T>(work: (copy: Data) => T): T {
    const copy = structuredClone(running);
    const done = work(copy);
    checkWhole(root.children, copy);
    if (JSON.stringify(copy) !== JSON.stringify(running)) {
      running = copy;
      revision++;
      modified = new Date();
    }
    return done;
  }

  const etag = () => `"${revision.toString(16).padStart(8, "0")}"`;
  const marks = () => ({ ETag: etag(), "Last-Modified": modified.toUTCString() });
  const done = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
    status,
    headers: { ...marks(), ...headers },
  });

  return {
    etag,
    modified: () => modified.toUTCString(),
    running: () => running,
    /** Configuration and state. */
    all: () => mergeMembers(root.children, structuredClone(running), state),
    operations: () =>
      modules.flatMap(({ name, namespace, operations = [] }) =>
        operations.map((one) => ({ name: `${name}:${one}`, namespace })),
      ),

    call(path: readonly string[], method: string, input: Data | undefined): Answer {
      const [name = ""] = path.map(decodeURIComponent);
      const [module, operation] = name.split(":");
      const known = modules.find((one) => one.name === module)?.operations ?? [];
      if (path.length !== 1 || operation === undefined || !known.includes(operation))
        throw new Refusal(404, "invalid-value", "There is no such operation.");
      if (method !== "POST")
        throw new Refusal(405, "operation-not-supported", "An operation is called with POST.");
      if (operation === "set-current-datetime" && input === undefined)
        throw new Refusal(400, "missing-element", "current-datetime is missing.", `/${name}/input`);
      return { status: 204 };
    },

    remove(steps: readonly Step[]): Answer {
      if (steps.length === 0)
        throw new Refusal(405, "operation-not-supported", "The datastore cannot be deleted.");
      edited((copy) => removeAt(copy, steps, true));
      return done(204);
    },

    create(steps: readonly Step[], body: Data, query: Query, path: string): Answer {
      const { name, value } = only(body);
      const child = stepsOf([...written(steps), name]).at(-1);
      if (child === undefined) throw new Refusal(400, "malformed-message", "The body has no member.");
      check(child.node, value, pathText([...steps, child]));
      const location = edited((copy) => {
        if (steps.length > 0 && valueAt(copy, steps) === undefined)
          throw new Refusal(404, "invalid-value", "There is no such resource.");
        const holder = holderOf(copy, [...steps, child]);
        if (child.node.kind !== "list") {
          if (holder[child.name] !== undefined)
            throw new Refusal(409, "data-exists", "It exists already.", pathText([...steps, child]));
          holder[child.name] = value;
          return name;
        }
        const [entry, ...more] = entriesOf(value);
        if (entry === undefined || more.length > 0)
          throw new Refusal(400, "malformed-message", "One entry is created at a time.");
        const { keys } = child.node;
        const list = entriesOf(holder[child.name]);
        if (list.some((one) => keyText(keys, one) === keyText(keys, entry)))
          throw new Refusal(409, "data-exists", "It exists already.", pathText([...steps, child]));
        holder[child.name] = placed(list, entry, child, query);
        return `${name}=${keys.map((key) => encodeURIComponent(isRecord(entry) ? String(entry[key]) : "")).join(",")}`;
      });
      return done(201, { Location: `${path.replace(/\/$/, "")}/${location}` });
    },

    replace(steps: readonly Step[], body: Data, query: Query): Answer {
      const last = steps.at(-1);
      if (last === undefined) {
        const data = body["ietf-restconf:data"];
        if (!isRecord(data) || Object.keys(body).length !== 1)
          throw new Refusal(400, "malformed-message", "The body must be ietf-restconf:data.");
        check(root, data, "");
        edited((copy) => {
          for (const name of Object.keys(copy)) delete copy[name];
          Object.assign(copy, data);
        });
        return done(204);
      }
      const value = sameResource(steps, body);
      const existed = valueAt(running, steps) !== undefined;
      edited((copy) => {
        const holder = holderOf(copy, steps);
        if (last.keys === undefined) holder[last.name] = value;
        else holder[last.name] = inPlace(entriesOf(holder[last.name]), entriesOf(value)[0], last, query);
      });
      return done(existed ? 204 : 201);
    },

    merge(steps: readonly Step[], body: Data): Answer {
      edited((copy) => mergeAt(copy, steps, body, true));
      return done(204);
    },

    patch: (steps: readonly Step[], body: Data): Answer => patchAt(steps, body),
  };

  function patchAt(steps: readonly Step[], body: Data): Answer {
    const patch = body["ietf-yang-patch:yang-patch"];
    if (!isRecord(patch) || !Array.isArray(patch.edit))
      throw new Refusal(400, "malformed-message", "It is no YANG Patch.");
    const id = String(patch["patch-id"]);
    const edits: readonly unknown[] = patch.edit;
    let at = "";
    try {
      edited((copy) => {
        for (const edit of edits) {
          if (!isRecord(edit)) throw new Refusal(400, "malformed-message", "An edit is an object.");
          at = String(edit["edit-id"]);
          editOf(copy, steps, edit);
        }
      });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const told = {
        ...{ "error-type": "application", "error-tag": error.tag, "error-message": error.message },
        ...(error.path === undefined ? {} : { "error-path": error.path }),
      };
      const status = { edit: [{ "edit-id": at, errors: { error: [told] } }] };
      return {
        status: error.status,
        headers: { "Content-Type": "application/yang-data+json" },
        body: JSON.stringify({
          "ietf-yang-patch:yang-patch-status": { "patch-id": id, "edit-status": status },
        }),
      };
    }
    return {
      status: 200,
      headers: { "Content-Type": "application/yang-data+json", ...marks() },
      body: JSON.stringify({ "ietf-yang-patch:yang-patch-status": { "patch-id": id, ok: [null] } }),
    };
  }

  function editOf(copy: Data, steps: readonly Step[], edit: Data): void {
    const target = String(edit.target ?? "/");
    const segments = target.split("/").filter((one) => one !== "");
    const all = stepsOf([...written(steps), ...segments]);
    const value = isRecord(edit.value) ? edit.value : undefined;
    const exists = valueAt(copy, all) !== undefined;
    const path = pathText(all);
    switch (edit.operation) {
      case "create":
        if (exists) throw new Refusal(409, "data-exists", "It exists already.", path);
        mergeAt(copy, all, value ?? {}, false);
        break;
      case "merge":
        mergeAt(copy, all, value ?? {}, false);
        break;
      case "replace":
        removeAt(copy, all, false);
        mergeAt(copy, all, value ?? {}, false);
        break;
      case "delete":
        removeAt(copy, all, true);
        break;
      case "remove":
        removeAt(copy, all, false);
        break;
      default:
        throw new Refusal(400, "invalid-value", "The operation is not known.", path);
    }
  }
}

/** The only member of a body. */
function only(body: Data): { readonly name: string; readonly value: unknown } {
  const [first, ...more] = Object.entries(body);
  if (first === undefined || more.length > 0)
    throw new Refusal(400, "malformed-message", "The body must have one member.");
  return { name: first[0], value: first[1] };
}

/** The value of a body whose member is the resource itself, with the keys of its path. */
function sameResource(steps: readonly Step[], body: Data): unknown {
  const { name, value } = only(body);
  const last = steps.at(-1);
  const module = steps[0]?.name.split(":")[0] ?? "";
  const expected = last?.name.includes(":") === true ? last.name : `${module}:${last?.name}`;
  if (last === undefined || name !== expected)
    throw new Refusal(400, "malformed-message", `The body must have the member ${expected}.`);
  check(last.node, value, pathText(steps));
  const { keys } = last;
  if (keys !== undefined) {
    const entries = entriesOf(value);
    if (entries.length !== 1 || !matches(entries[0], keys))
      throw new Refusal(
        400,
        "invalid-value",
        "The keys of the body and of the path differ.",
        pathText(steps),
      );
  }
  return value;
}

function mergeAt(copy: Data, steps: readonly Step[], body: Data, mustExist: boolean): void {
  const last = steps.at(-1);
  if (last === undefined) {
    const data = body["ietf-restconf:data"];
    if (!isRecord(data)) throw new Refusal(400, "malformed-message", "The body must be ietf-restconf:data.");
    check(root, data, "");
    Object.assign(copy, mergeMembers(root.children, copy, data));
    return;
  }
  if (mustExist && valueAt(copy, steps) === undefined)
    throw new Refusal(404, "invalid-value", "There is no such resource.");
  const value = sameResource(steps, body);
  const holder = holderOf(copy, steps);
  holder[last.name] = merge(last.node, holder[last.name], value);
}

function removeAt(copy: Data, steps: readonly Step[], mustExist: boolean): void {
  const last = steps.at(-1);
  if (last?.node.config === false) throw new Refusal(405, "operation-not-supported", "It is state.");
  if (last === undefined || valueAt(copy, steps) === undefined) {
    if (mustExist) throw new Refusal(404, "data-missing", "There is no such resource.", pathText(steps));
    return;
  }
  const holder = holderOf(copy, steps);
  const { keys } = last;
  const left =
    keys === undefined ? [] : entriesOf(holder[last.name]).filter((entry) => !matches(entry, keys));
  if (left.length === 0) delete holder[last.name];
  else holder[last.name] = left;
}

function inPlace(list: unknown[], entry: unknown, step: Step, query: Query): unknown[] {
  const { keys } = step;
  const at = keys === undefined ? -1 : list.findIndex((one) => matches(one, keys));
  if (at < 0) return placed(list, entry, step, query);
  if (query.insert === undefined) return list.with(at, entry);
  return placed(list.toSpliced(at, 1), entry, step, query);
}

function placed(list: unknown[], entry: unknown, { node }: Step, { insert, point }: Query): unknown[] {
  if (insert === undefined) return [...list, entry];
  if (node.kind !== "list" || node.ordered !== true)
    throw new Refusal(400, "invalid-value", "insert is for lists that their user orders.");
  if (insert === "first") return [entry, ...list];
  if (insert === "last") return [...list, entry];
  const keys = stepsOf((point ?? "").split("/").filter((one) => one !== "")).at(-1)?.keys;
  const at = keys === undefined ? -1 : list.findIndex((one) => matches(one, keys));
  if (at < 0) throw new Refusal(400, "missing-element", "point names no entry.");
  return list.toSpliced(insert === "before" ? at : at + 1, 0, entry);
}

/** The steps as segments of a path. */
const written = (steps: readonly Step[]): string[] =>
  steps.map(({ name, keys }) =>
    keys === undefined
      ? name
      : `${name}=${Object.values(keys)
          .map((key) => encodeURIComponent(String(key)))
          .join(",")}`,
  );

/** As an instance identifier, for messages. */
export const pathText = (steps: readonly Step[]): string =>
  steps
    .map(({ name, keys = {} }) => {
      const predicates = Object.entries(keys).map(([key, value]) => `[${key}='${String(value)}']`);
      return `/${name}${predicates.join("")}`;
    })
    .join("");
