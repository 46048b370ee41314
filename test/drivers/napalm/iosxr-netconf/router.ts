/** A simulated IOS XR router: candidate and running configuration over NETCONF, with its own error messages. */
import type { XmlElement } from "../../../../src/base/xml/xml.ts";
import { escapeXml } from "../../../../src/base/xml/xml-write.ts";
import {
  base10,
  base11,
  type NetconfServer,
  ok,
  rpcError,
  startNetconfServer,
} from "../../../support/netconf-server.ts";
import { type CandidateStore, createCandidateStore } from "../candidate-store.ts";
import { type Fault, withFault } from "../faults.ts";

export interface XrRouter extends NetconfServer {
  readonly store: CandidateStore;
  fault: Fault | undefined;
  /** Expires the timer of a pending commit. */
  expire(): void;
  /** Operation names of all sessions since the last call. */
  operations(): string[];
}

const cliModel = "http://cisco.com/ns/yang/Cisco-IOS-XR-cli-cfg";
const confirmedCommit = "urn:ietf:params:netconf:capability:confirmed-commit:1.1";

/** @param confirms whether another session may confirm a commit */
export async function startXrRouter(first: readonly string[], { confirms = true } = {}): Promise<XrRouter> {
  const store = createCandidateStore(first);
  const heard: string[] = [];

  const acts: Readonly<Record<string, (operation: XmlElement, session: number) => string>> = {
    lock: (_operation, session) =>
      store.lock(session)
        ? ok
        : rpcError("The lock is held by another session", {
            tag: "lock-denied",
            info: `<error-info><session-id>${store.lockedBy() ?? 0}</session-id></error-info>`,
          }),
    unlock(_operation, session) {
      store.unlock(session);
      return ok;
    },
    "edit-config": (operation) => load(operation.find("config"), false),
    "copy-config": (operation) => load(operation.find("source/config"), true),
    "get-cli-config-diff": () =>
      `<cli-config-diff xmlns="http://cisco.com/ns/yang/Cisco-IOS-XR-cli-diff-act">Building configuration...\n!! IOS XR Configuration 7.3.2\n${escapeXml(store.difference().join("\n"))}\n</cli-config-diff>`,
    "get-config": (operation) => {
      const lines = operation.find("source/candidate") === undefined ? store.running() : store.candidate();
      if (operation.find("filter/cli") !== undefined)
        return `<data><cli xmlns="${cliModel}">${escapeXml(lines.join("\n"))}\n</cli></data>`;
      return `<data>${lines.map((line) => `<line xmlns="urn:lines">${line}</line>`).join("")}</data>`;
    },
    commit,
    "cancel-commit": (operation) => {
      if (store.waiting()?.name !== operation.textOf("persist-id")) return rpcError("no such commit");
      store.cancel();
      return ok;
    },
    "discard-changes": () => {
      store.discard();
      return ok;
    },
    "roll-back-configuration-last": () => {
      store.load(1);
      store.commit();
      return ok;
    },
  };

  function load(config: XmlElement | undefined, replace: boolean): string {
    const cli = config?.find("cli");
    const text = cli === undefined ? (config?.textOf("hostname") ?? "") : cli.text;
    if (cli !== undefined && cli.namespace !== cliModel) return rpcError("unknown namespace");
    const lines = text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && line !== "!");
    const statements = cli === undefined ? lines.map((line) => `hostname ${line}`) : lines;
    const bad = statements.find((line) => line.includes("bogus"));
    if (bad !== undefined)
      return rpcError(
        `!! SYNTAX/AUTHORIZATION ERRORS: This configuration failed due to\n!! one or more of the following reasons\n\n${bad}\n  ^`,
      );
    if (replace) store.replace(statements);
    else store.merge(statements);
    return ok;
  }

  function commit(operation: XmlElement): string {
    const persistId = operation.textOf("persist-id");
    const waits = store.waiting();
    if (waits !== undefined && waits.name !== persistId)
      return rpcError("a confirmed commit is pending", { tag: "in-use" });
    if (persistId !== "" && waits === undefined)
      return rpcError("no confirmed commit is pending", { tag: "invalid-value" });
    if (store.candidate().some((statement) => statement.includes("impossible")))
      return rpcError("'Resource' detected the 'fatal' condition");
    const name = operation.textOf("persist");
    store.commit(
      name === "" ? undefined : { name, minutes: Number(operation.textOf("confirm-timeout")) / 60 },
    );
    return ok;
  }

  const server = await startNetconfServer(() => ({
    capabilities: [base10, base11, ...(confirms ? [confirmedCommit] : [])],
    rpc(operation, id, peer) {
      heard.push(operation.name);
      const act = () => acts[operation.name]?.(operation, peer.sessionId) ?? rpcError("unknown operation");
      withFault(router.fault, operation.name, peer, act, (inside) => peer.reply(id, inside));
    },
    ended: (peer) => store.ended(peer.sessionId),
  }));
  const router: XrRouter = {
    ...server,
    store,
    fault: undefined,
    expire: store.cancel,
    operations: () => heard.splice(0),
  };
  return router;
}
