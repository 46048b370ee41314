/** A small NETCONF server for the driver suite: one list, a candidate with its lock, confirmed commits that outlive a session. */
import type { XmlElement } from "../../../src/base/xml/xml.ts";
import {
  base10,
  base11,
  type NetconfServer,
  ok,
  rpcError,
  startNetconfServer,
} from "../../support/netconf-server.ts";

const namespace = "urn:lines";
export const lineOf = (text: string): string => `<line xmlns="${namespace}">${text}</line>`;
export const refusedOperation = `<refuse xmlns="${namespace}"/>`;

export interface NetconfDevice extends NetconfServer {
  /** Lines that commits brought, in order. */
  readonly taken: string[];
}

export async function startNetconfDevice(password: string): Promise<NetconfDevice> {
  const taken: string[] = [];
  let running: readonly string[] = [];
  let candidate = running;
  let lockedBy: number | undefined;
  let waiting: { readonly handle: string; readonly before: readonly string[] } | undefined;
  const cap = (name: string) => `urn:ietf:params:netconf:capability:${name}`;

  function answer(operation: XmlElement, session: number): string {
    const handle = operation.textOf("persist-id");
    switch (operation.name) {
      case "get-config": {
        const from = operation.find("source/candidate") === undefined ? running : candidate;
        return `<data>${from.map(lineOf).join("")}</data>`;
      }
      case "lock":
        if (lockedBy !== undefined && lockedBy !== session) return rpcError("locked", { tag: "lock-denied" });
        lockedBy = session;
        return ok;
      case "unlock":
        lockedBy = undefined;
        return ok;
      case "edit-config": {
        const lines = operation.all("config/line").map((line) => line.text);
        if (operation.find("config/refuse") !== undefined) return rpcError("unknown element");
        const kept = operation.textOf("default-operation") === "replace" ? [] : candidate;
        candidate = [...kept.filter((line) => !lines.includes(line)), ...lines];
        return ok;
      }
      case "discard-changes":
        candidate = running;
        return ok;
      case "commit":
        if (handle !== "" && handle !== waiting?.handle) return rpcError("no such commit");
        waiting =
          operation.find("confirmed") === undefined
            ? undefined
            : { handle: operation.textOf("persist"), before: running };
        taken.push(...candidate.filter((line) => !running.includes(line)).map(lineOf));
        running = candidate;
        return ok;
      case "cancel-commit":
        if (waiting === undefined || handle !== waiting.handle) return rpcError("no such commit");
        running = candidate = waiting.before;
        waiting = undefined;
        return ok;
      default:
        return rpcError("unknown operation", { tag: "operation-not-supported" });
    }
  }

  const server = await startNetconfServer(
    () => ({
      capabilities: [
        ...[base10, base11, cap("candidate:1.0"), cap("confirmed-commit:1.1")],
        `${namespace}?module=lines`,
      ],
      rpc: (operation, id, peer) => peer.reply(id, answer(operation, peer.sessionId)),
      ended({ sessionId }) {
        if (lockedBy !== sessionId) return;
        lockedBy = undefined;
        candidate = running;
      },
    }),
    { password },
  );
  return { ...server, taken };
}
