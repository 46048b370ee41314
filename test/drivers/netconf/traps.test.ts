/** Servers that leave locks, timers and candidates behind, and hostile answers: over real SSH, with a scripted server. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { XmlElement } from "../../../src/base/xml/xml.ts";
import { taskContext } from "../../plugin/context.ts";
import {
  base10,
  base11,
  type NetconfPeer,
  type NetconfScript,
  type NetconfServer,
  ok,
  rpcError,
  startNetconfServer,
} from "../../support/netconf-server.ts";
import { type Opened, openOn } from "./open.ts";

const cap = (name: string) => `urn:ietf:params:netconf:capability:${name}`;
const candidate = [base10, base11, cap("candidate:1.0")];
const module = "urn:x?module=x-mod";
const pushed = { "x-mod:x": "new" };

let server: NetconfServer;
let script: NetconfScript = {};
beforeAll(async () => {
  server = await startNetconfServer(() => script);
});
afterAll(() => server.close());

type Answer = (operation: XmlElement, id: string, peer: NetconfPeer) => string | undefined;

interface Played {
  readonly driver: Opened;
  /** Names of the operations that arrived, reads left out. */
  readonly heard: string[];
  readonly state: { running: string; candidate: string };
}

/** A server with one leaf; `answer` overrides what it says. */
async function play(answer: Answer = () => undefined, capabilities = candidate): Promise<Played> {
  const state = { running: "old", candidate: "old" };
  const heard: string[] = [];
  const usual = (operation: XmlElement): string => {
    if (operation.name === "get-config") {
      const from = operation.find("source/candidate") === undefined ? state.running : state.candidate;
      return `<data><x xmlns="urn:x">${from}</x></data>`;
    }
    if (operation.name === "edit-config") {
      const target = operation.find("target/running") === undefined ? "candidate" : "running";
      state[target] = operation.textOf("config/x");
    }
    if (operation.name === "commit") state.running = state.candidate;
    if (operation.name === "discard-changes") state.candidate = state.running;
    if (operation.name === "cancel-commit") state.running = state.candidate = "old";
    return ok;
  };
  script = {
    capabilities: [...capabilities, module],
    rpc(operation, id, peer) {
      if (operation.name !== "get-config") heard.push(operation.name);
      const said = answer(operation, id, peer);
      if (said !== "") peer.reply(id, said ?? usual(operation));
    },
  };
  return { driver: await openOn(server), heard, state };
}
const says = (name: string, answer: string) => (operation: XmlElement) =>
  operation.name === name ? answer : undefined;
const timed = [...candidate, cap("confirmed-commit:1.1")];

describe("a push", () => {
  test("locks, edits, commits and unlocks; what is clean is not discarded", async () => {
    const { driver, heard } = await play();
    expect(await driver.push(pushed)).toMatchObject({ committed: true });
    expect(heard).toEqual(["lock", "edit-config", "commit", "unlock"]);
    await driver.close();
  });

  test("that fails discards and unlocks", async () => {
    const { driver, heard, state } = await play(says("edit-config", rpcError("no")));
    await expect(driver.push(pushed)).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    expect(heard).toEqual(["lock", "edit-config", "discard-changes", "unlock"]);
    expect(state.candidate).toBe("old");
    await driver.close();
  });

  test("that may not lock sends nothing else", async () => {
    const { driver, heard } = await play(says("lock", rpcError("taken", { tag: "lock-denied" })));
    await expect(driver.push(pushed)).rejects.toMatchObject({
      message: expect.stringContaining("locked by another"),
    });
    expect(heard).toEqual(["lock"]);
    await driver.close();
  });

  test("reports a server that cannot discard, and still unlocks", async () => {
    const { driver, heard } = await play(says("discard-changes", rpcError("nothing to discard")));
    await driver.push(pushed, { dry_run: true });
    expect(heard.at(-1)).toBe("unlock");
    expect(driver.warnings.join()).toContain("nothing to discard");
    await driver.close();
  });

  test("whose confirmed commit fails takes back the timer that it may have left", async () => {
    const { driver, heard } = await play(says("commit", rpcError("apply failed")), timed);
    await expect(driver.push(pushed, { revert_in: 60 })).rejects.toMatchObject({
      kind: "CommandError",
      detail: { outcome: "none" },
    });
    expect(heard.slice(2)).toEqual(["commit", "cancel-commit", "discard-changes", "unlock"]);
    await driver.close();
  });

  test("whose session dies during the commit is unknown", async () => {
    const { driver } = await play((operation, _, peer) => {
      if (operation.name !== "commit") return undefined;
      peer.drop();
      return "";
    }, timed);
    await expect(driver.push(pushed, { revert_in: 60 })).rejects.toMatchObject({
      kind: "ConnectionLost",
      detail: { outcome: "unknown" },
    });
  });

  test("to running is possible only where running can be written, and has no dry run", async () => {
    const { driver } = await play(undefined, [base11, cap("writable-running:1.0")]);
    expect(await driver.push(pushed)).toMatchObject({ committed: true });
    await expect(driver.push(pushed, { dry_run: true })).rejects.toThrow("no candidate");
    await expect(driver.push(pushed, { revert_in: 9 })).rejects.toThrow("confirmed commits");
    await driver.close();
    const other = await play(undefined, [base11]);
    await expect(other.driver.push(pushed)).rejects.toThrow("neither a candidate nor");
    expect(other.heard).toEqual([]);
    await other.driver.close();
  });
});

describe("a push that is saved", () => {
  const startup = cap("startup:1.0");
  test("is copied to startup after its commit, and after the word of a change only then", async () => {
    const { driver, heard } = await play(undefined, [...candidate, startup]);
    expect(await driver.push(pushed, { save: true })).toMatchObject({ committed: true, saved: true });
    expect(heard.splice(0)).toEqual(["lock", "edit-config", "commit", "copy-config", "unlock"]);
    const change = await driver.change('{"x-mod:x": "newer"}', undefined, { save: true });
    expect(heard.splice(0)).not.toContain("copy-config");
    await change.confirm(taskContext());
    expect(heard).toEqual(["copy-config"]);
    await driver.close();
  });

  test("says so where the server keeps running by itself", async () => {
    const { driver, heard } = await play();
    expect(await driver.push(pushed, { save: true })).toMatchObject({ committed: true, saved: false });
    expect(heard).not.toContain("copy-config");
    expect(driver.warnings.join()).toContain("no startup datastore");
    await driver.close();
  });

  test("is active where the save is refused, or its session dies, and the error does not hide it", async () => {
    const refused = await play(says("copy-config", rpcError("flash full")), [...candidate, startup]);
    const error = await refused.driver.push(pushed, { save: true }).catch((error: unknown) => error);
    expect(error).toMatchObject({
      kind: "CommandError",
      message: expect.stringMatching(/is active but was not saved.*flash full/),
    });
    expect(error).not.toMatchObject({ detail: { outcome: "none" } });
    expect(refused.heard.at(-1)).toBe("unlock");
    expect(refused.state.running).toBe("new");
    await refused.driver.close();
    const dying = await play(
      ({ name }, _, peer) => {
        if (name !== "copy-config") return undefined;
        peer.drop();
        return "";
      },
      [...candidate, startup],
    );
    const lost = await dying.driver.push(pushed, { save: true }).catch((error: unknown) => error);
    expect(lost).toMatchObject({ kind: "ConnectionLost" });
    expect(lost).not.toMatchObject({ detail: { outcome: "none" } });
  });
});

test("what an edit asks of the server is sent as RFC 6241 has it", async () => {
  const asked: string[] = [];
  const { driver } = await play(
    (operation) => {
      if (operation.name === "edit-config")
        asked.push(`${operation.textOf("default-operation")} ${operation.textOf("error-option")}`);
      return undefined;
    },
    [...candidate, cap("rollback-on-error:1.0")],
  );
  for (const args of [
    {},
    { default_operation: "none" },
    { replace: true },
    { default_operation: "replace", error_option: "continue-on-error" },
  ])
    await driver.push(pushed, { ...args, dry_run: true });
  expect(asked).toEqual([
    " rollback-on-error",
    "none rollback-on-error",
    "replace rollback-on-error",
    "replace continue-on-error",
  ]);
  await driver.close();
});

test("where a timer ends with its session, the undo ends the session", async () => {
  const sessions: string[] = [];
  const { driver, state, heard } = await play(undefined, [...candidate, cap("confirmed-commit:1.0")]);
  script = {
    ...script,
    ended: ({ sessionId }) => {
      sessions.push(String(sessionId));
      state.running = "old";
    },
  };
  const again = await openOn(server);
  const change = await again.change('{"x-mod:x": "new"}');
  expect(change).toMatchObject({ how: "confirmed_commit" });
  expect(change.open).toBeUndefined();
  await change.undo(taskContext());
  expect(state.running).toBe("old");
  expect(heard).not.toContain("cancel-commit");
  await again.close();
  await driver.close();
});

test("without a timer the undo puts back what was there", async () => {
  const { driver, state } = await play();
  const change = await driver.change('{"x-mod:x": "new"}');
  expect(change.how).toBe("replace");
  await change.undo(taskContext());
  expect(state.running).toBe("old");
  await driver.close();
});

describe("a hostile answer", () => {
  const bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><rpc-reply message-id="1">&b;</rpc-reply>';
  test.each<[string, (peer: NetconfPeer, id: string) => void, string, RegExp]>([
    [
      "nested too deep",
      (peer, id) => peer.reply(id, `${"<a>".repeat(400)}${"</a>".repeat(400)}`),
      "OutputTooLarge",
      /deeper/,
    ],
    ["with entities", (peer) => peer.send(bomb), "DriverError", /document type/],
    ["with a wrong chunk length", (peer) => peer.raw("\n#4\nabcdefgh"), "DriverError", /framing/],
    ["with a chunk that never ends", (peer) => peer.raw("\n#4294967295\nab"), "OutputTooLarge", /more than/],
    [
      "with the session closed in the middle",
      (peer) => {
        peer.raw("\n#90\n<rpc");
        peer.end();
      },
      "ConnectionLost",
      /middle/,
    ],
  ])("%s ends the query with its reason", async (_, say, kind, message) => {
    const { driver } = await play((operation, id, peer) => {
      if (operation.name !== "get") return undefined;
      say(peer, id);
      return "";
    });
    await expect(driver.ask("get")).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(await driver.reusable()).toBe(false);
    await driver.close();
  });

  test("without an end stops at the limit", async () => {
    const piece = "x".repeat(4_000_000);
    const { driver } = await play((operation, _, peer) => {
      if (operation.name !== "get") return undefined;
      for (let times = 0; times < 10; times++) peer.raw(`\n#${piece.length}\n${piece}`);
      return "";
    });
    await expect(driver.ask("get")).rejects.toMatchObject({ kind: "OutputTooLarge" });
    await driver.close();
  });
});
