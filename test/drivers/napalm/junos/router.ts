/** A simulated Junos router: candidate and running configuration over NETCONF, with its own error messages. */
import type { XmlElement } from "../../../../src/base/xml/xml.ts";
import { escapeXml } from "../../../../src/base/xml/xml-write.ts";
import {
  base10,
  type NetconfPeer,
  type NetconfServer,
  ok,
  rpcError,
  startNetconfServer,
} from "../../../support/netconf-server.ts";
import { type CandidateStore, createCandidateStore } from "../candidate-store.ts";
import { type Fault, withFault } from "../faults.ts";

export interface JunosRouter extends NetconfServer {
  readonly store: CandidateStore;
  fault: Fault | undefined;
  /** User of the latest commit. */
  committer: string;
  /** Comment of the latest commit. */
  comment(): string;
  /** Expires the timer of a pending commit. */
  expire(): void;
  /** Operation names of all sessions since the last call. */
  operations(): string[];
}

/** The router's clock as Unix time. */
const now = 1_616_554_300;

/** Executes an operation; returns the content of the reply. */
type Act = (operation: XmlElement, peer: NetconfPeer) => string;

export async function startJunosRouter(first: readonly string[]): Promise<JunosRouter> {
  const store = createCandidateStore(first);
  let comment = "";
  let revisions = 0;
  /** Of all commits, the newest first. */
  const comments: string[] = [];
  const heard: string[] = [];

  const acts: Readonly<Record<string, Act>> = {
    "lock-configuration": (_operation, { sessionId }) => {
      if (store.lock(sessionId)) return ok;
      const holder = store.lockedBy();
      return rpcError(
        holder === undefined
          ? "configuration database modified"
          : `configuration database locked by:\n  other NETCONF (session ${holder}) on since 2026-11-22`,
      );
    },
    "unlock-configuration": (_operation, { sessionId }) => {
      store.unlock(sessionId);
      return ok;
    },
    "open-configuration": () =>
      rpcError("uncommitted changes will be discarded on exit", { severity: "warning" }) + ok,
    "close-configuration": () => {
      store.discard();
      return ok;
    },
    "load-configuration": load,
    "get-configuration": (operation) =>
      operation.attribute("database") === "committed"
        ? `<configuration-text>\n## Last commit: 2026-11-22 by admin\n${escapeXml(store.running().join(";\n"))};\n</configuration-text>`
        : compared(),
    "commit-configuration": commit,
    "get-commit-revision-information": () =>
      `<commit-revision-information><revision>re0-${now}-${revisions}</revision><user>${router.committer}</user><date-time seconds="${now - 14}">2021-03-24</date-time>${comment === "" ? "" : `<comment>${escapeXml(comment)}</comment>`}</commit-revision-information>`,
    "get-commit-information": () =>
      `<commit-information>${comments.map((text) => `<commit-history><log>${escapeXml(text)}</log></commit-history>`).join("")}</commit-information>`,
    "get-system-uptime-information": () =>
      `<system-uptime-information><current-time><date-time seconds="${now}">x</date-time></current-time></system-uptime-information>`,
    command: (operation) =>
      operation.attribute("format") === "json"
        ? '{"command":"done"}'
        : `<output>\nge-0/0/0 up\nge-0/0/1 down\nGE-0/0/2 up\n</output>`,
  };

  function compared(): string {
    return `<configuration-information><configuration-output>\n${escapeXml(difference())}\n</configuration-output></configuration-information>`;
  }

  function difference(): string {
    const lines = store.difference();
    return lines.length === 0 ? "" : ["[edit]", ...lines].join("\n");
  }

  function load(operation: XmlElement): string {
    const back = operation.attribute("rollback");
    if (back !== undefined) {
      if (back === "0") store.discard();
      else store.load(Number(back));
      return "<configuration-information/>";
    }
    const text = operation.children[0]?.text ?? "";
    // A statement ends with a brace or semicolon; set commands are another format.
    const isText = operation.attribute("format") === "text" && operation.attribute("action") !== "set";
    const isNone = (line: string) => isText && !/[{};]|^\s*(?:#|$)/.test(line);
    const bad = text.split("\n").findIndex((line) => line.includes("bogus") || isNone(line));
    if (bad >= 0)
      // As Junos does, applies the valid statements and reports the others.
      store.merge(["system left-behind yes"]);
    if (bad >= 0)
      return `<load-configuration-results>${rpcError("syntax error", {
        info: `<error-path>[edit system]</error-path><error-info><bad-element>bogus</bad-element></error-info><line-number>${bad + 1}</line-number>`,
      })}<load-error-count>1</load-error-count></load-configuration-results>`;
    const action = operation.attribute("action");
    const deleted = [...text.matchAll(/^delete (.*)$/gm)].map((match) => match[1] ?? "");
    const isSet = action === "set";
    const statements = isSet
      ? [...text.matchAll(/^set (.*)$/gm)].map((match) => match[1] ?? "")
      : statementsOf(operation.children[0] ?? operation);
    if (action === "override") store.replace(statements);
    else store.merge(statements);
    for (const statement of deleted) store.remove(statement);
    const warning = deleted.includes("nothing")
      ? rpcError("statement not found", { severity: "warning" })
      : "";
    return `<load-configuration-results>${warning}<ok/></load-configuration-results>`;
  }

  function commit(operation: XmlElement): string {
    if (store.candidate().some((statement) => statement.includes("impossible")))
      return `<commit-results><routing-engine><name>re0</name>${rpcError("configuration check-out failed")}</routing-engine></commit-results>`;
    const minutes = operation.textOf("confirm-timeout");
    const log = operation.textOf("log");
    comment = log || (minutes === "" ? "" : `commit confirmed, rollback in ${minutes}mins`);
    comments.unshift(comment);
    revisions++;
    store.commit(minutes === "" ? undefined : { name: `re0-${now}-${revisions}`, minutes: Number(minutes) });
    return `<commit-results><routing-engine><name>re0</name><commit-success/></routing-engine></commit-results>`;
  }

  const server = await startNetconfServer(() => ({
    capabilities: [base10],
    rpc(operation, id, peer) {
      const name =
        operation.attribute("rollback") === "0" && operation.name === "load-configuration"
          ? "discard"
          : operation.name;
      heard.push(name);
      const act = acts[operation.name];
      const reply = (inside: string) => peer.reply(id, inside);
      withFault(router.fault, name, peer, () => act?.(operation, peer) ?? rpcError("syntax error"), reply);
    },
    ended: (peer) => store.ended(peer.sessionId),
  }));
  const router: JunosRouter = {
    ...server,
    store,
    fault: undefined,
    committer: "admin",
    comment: () => comment,
    expire() {
      store.cancel();
      comment = "";
    },
    operations: () => heard.splice(0),
  };
  return router;
}

/** `system { host-name b; }` becomes `system host-name b`; XML and JSON are parsed for a single statement. */
function statementsOf(configuration: XmlElement): string[] {
  if (configuration.children.length > 0) return [pathOf(configuration.children[0] ?? configuration)];
  if (configuration.name === "configuration-json") return ["system host-name json"];
  const statements: string[] = [];
  const path: string[] = [];
  for (const line of configuration.text.split("\n").map((one) => one.trim())) {
    if (line.endsWith("{")) path.push(line.slice(0, -1).trim());
    else if (line === "}") path.pop();
    else if (line.endsWith(";")) statements.push([...path, line.slice(0, -1)].join(" "));
  }
  return statements;
}

function pathOf(element: XmlElement): string {
  const [inner] = element.children;
  return inner === undefined ? `${element.name} ${element.textOf()}` : `${element.name} ${pathOf(inner)}`;
}
