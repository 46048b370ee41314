/** What the worker guarantees around a careless driver: the intent is on disk first, and no secret leaves it. */

import { Secret } from "patchbay/plugin";
import * as v from "valibot";
import { beforeEach, describe, expect, test } from "vitest";
import { ServiceError } from "../../src/base/errors.ts";
import type { Log } from "../../src/base/log.ts";
import { createHandlers, type Handlers } from "../../src/executor/handlers.ts";
import { createMasking, type Masking } from "../../src/executor/masking.ts";
import type { Context, CredentialPlugin, DriverPlugin, Session } from "../../src/plugin/index.ts";
import type { ConfigureTask, QueryTask } from "../../src/protocol/task.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { taskContext } from "../plugin/context.ts";
import { plainSettings } from "./fixtures.ts";

const connection = v.looseObject({
  host: v.string(),
  entry: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => new Secret(text)),
    ),
  ),
});

let events: string[];
let handlers: Handlers;
let masking: Masking;
/** Behaviour of the driver under test. */
let session: Session;
let open: (() => void) | undefined;
let repeatable: DriverPlugin["repeatable"];

const driver: DriverPlugin = {
  api: 1,
  kind: "driver",
  name: "forgetful",
  connection,
  args: { query: v.looseObject({}), configure: v.looseObject({}) },
  strategy: "fifo",
  target: () => ({ host: "r1", port: 443 }),
  repeatable: (operation, args, commands) => repeatable?.(operation, args, commands) ?? false,
  load: async () => ({
    default: async () => {
      open?.();
      return session;
    },
  }),
};

const vault: CredentialPlugin = {
  api: 1,
  kind: "credential",
  name: "vault",
  reference: v.looseObject({}),
  load: async () => ({
    default: async () => ({ username: "vault-user", password: "canary-vault-word" }),
  }),
};

const log: Log = {
  debug: (event, fields) => void events.push(`log ${event} ${JSON.stringify(fields)}`),
  info: (event, fields) => log.debug(event, fields),
  warn: (event, fields) => log.debug(event, fields),
  error: (event, fields) => log.debug(event, fields),
};

beforeEach(() => {
  events = [];
  session = {};
  open = undefined;
  repeatable = undefined;
  const registry = createRegistry();
  registry.add(driver, "test");
  registry.add(vault, "test");
  masking = createMasking();
  handlers = createHandlers({
    settings: plainSettings,
    registry,
    log: masking.log(log),
    masking,
    ask: async () => [],
    onSession() {},
  });
});

function context(): Context {
  return taskContext({
    log: masking.log(log),
    announce: async (lines) => void events.push(`announced ${lines.join(", ")}`),
  });
}

const secrets = { password: "canary-by-name", entry: "canary-by-schema" };
const shared = {
  driver: "forgetful",
  connection: { host: "r1", ...secrets },
  args: {},
  reach: [],
  keep: false,
};
const query = (more: Partial<QueryTask> = {}): QueryTask => ({
  kind: "query",
  ...shared,
  commands: ["show"],
  ...more,
});
const configure = (more: Partial<ConfigureTask> = {}): ConfigureTask => ({
  kind: "configure",
  ...shared,
  lines: ["a", "b"],
  ...more,
});

describe("the announcement of what is sent", () => {
  const act = async () => {
    events.push("acted");
    return [];
  };
  const acts = { query: act, configure: act };

  test("of a push precedes the driver call", async () => {
    session = acts;
    await handlers.run(configure(), context());
    expect(events).toEqual(["announced a, b", "acted"]);
  });

  test("of a push precedes it whatever the driver says: no push is ever repeated", async () => {
    session = acts;
    repeatable = () => true;
    await handlers.run(configure(), context());
    expect(events).toEqual(["announced a, b", "acted"]);
  });

  test("of a query too, unless the driver declares it repeatable", async () => {
    session = acts;
    await handlers.run(query(), context());
    repeatable = (operation) => operation === "query";
    await handlers.run(query(), context());
    expect(events).toEqual(["announced show", "acted", "acted"]);
  });

  test("prevents the driver call if it fails", async () => {
    session = acts;
    const refuses = { ...context(), announce: () => Promise.reject(new ServiceError("WorkerLost", "gone")) };
    await expect(handlers.run(configure(), refuses)).rejects.toMatchObject({ kind: "WorkerLost" });
    expect(events).toEqual([]);
  });
});

describe("no secret leaves the worker", () => {
  const all = Object.values(secrets).join(" ");
  const clean = (value: unknown) => expect(JSON.stringify(value)).not.toMatch(/canary|Y2FuYXJ5|63616e617279/);
  const failure = (run: Promise<unknown>) =>
    run.then(
      () => expect.unreachable(),
      (error: ServiceError) => [error.message, error.detail],
    );

  test("in an error, at any depth and in any encoding", async () => {
    const detail = {
      body: { text: all, bytes: Buffer.from(all).toString("base64"), hex: Buffer.from(all).toString("hex") },
    };
    session = { configure: () => Promise.reject(new ServiceError("CommandError", `refused ${all}`, detail)) };
    clean(await failure(handlers.run(configure(), context())));
  });

  test("in an output, which is converted to plain data", async () => {
    const tree = { at: new Date(0), list: [all, new Secret("x")], size: 5n, [all]: undefined, call: () => 1 };
    session = { query: async () => tree };
    const value = await handlers.run(query(), context());
    expect(value).toMatchObject({
      outputs: [
        {
          command: "show",
          output: { at: "1970-01-01T00:00:00.000Z", list: ["[secret] [secret]", "[secret]"], size: "5" },
        },
      ],
    });
    clean(value);
  });

  test("in an error or log if it comes from a credential source", async () => {
    const ctx = context();
    open = () => ctx.log.info("open", { all, user: "canary-vault-word" });
    session = { query: () => Promise.reject(new Error("login with canary-vault-word")) };
    const connection = { host: "r1", ...secrets, password: undefined, credential: { name: "vault" } };
    clean(await failure(handlers.run(query({ connection }), context())));
  });

  test("except a user name equal to the password, and the command as key of its output", async () => {
    session = { query: async () => "hunter2-x admin-x" };
    const connection = { host: "r1", username: "admin-x", password: "admin-x", secret: "hunter2-x" };
    const value = await handlers.run(query({ connection, commands: ["show hunter2-x"] }), context());
    expect(value).toMatchObject({ outputs: [{ command: "show hunter2-x", output: "[secret] admin-x" }] });
  });

  test("and a password equal to a keyword does not mask that keyword in a configuration", async () => {
    session = { query: async () => "enable secret 9 hash-x, hunter2-x" };
    const connection = { host: "r1", username: "u", password: "hunter2-x", secret: "enable" };
    const value = await handlers.run(query({ connection, commands: ["show run"] }), context());
    expect(value).toMatchObject({ outputs: [{ output: "enable secret 9 hash-x, [secret]" }] });
  });

  test.each([undefined, "text", { outputs: [] }])(
    "a driver that returns %j instead of outputs gets a clear error",
    async (given) => {
      session = { queryAll: async () => given as never };
      await expect(handlers.run(query(), context())).rejects.toThrow("returned no list of outputs");
    },
  );
});

test("a connection test succeeds even if the driver's close returns no promise", async () => {
  let closed = 0;
  // Possible in a plain JavaScript plugin.
  const close = (() => void closed++) as unknown as NonNullable<Session["close"]>;
  session = { describe: async () => ({ prompt: "R1#" }), close };
  const connection = { host: "r1" };
  const task = { kind: "probe" as const, driver: "forgetful", connection, args: {}, reach: [] };
  expect(await handlers.run(task, taskContext())).toEqual({ prompt: "R1#" });
  expect(closed).toBe(1);
});
