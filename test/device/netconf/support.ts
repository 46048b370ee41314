/** A server whose sessions follow the test's script, on one connection. */
import { afterAll, beforeAll } from "vitest";
import type { TimeLimit } from "../../../src/base/time/deadline.ts";
import type { XmlElement } from "../../../src/base/xml/xml.ts";
import { openSession, type SessionOptions, type StreamSession } from "../../../src/device/netconf/session.ts";
import type { Connection } from "../../../src/device/ssh/connection.ts";
import { type NetconfScript, type NetconfServer, startNetconfServer } from "../../support/netconf-server.ts";
import { newSsh, scopeOf, targetOf } from "../ssh/support.ts";

export interface Sessions {
  readonly scope: TimeLimit;
  /** Opens a session on its own channel. */
  open(of: NetconfScript, options?: Partial<SessionOptions>): Promise<StreamSession>;
}

const plain: SessionOptions = {
  capabilities: [],
  chunked: true,
  helloTimeoutMs: 20_000,
  maxBytes: 100_000,
  replyTimeoutMs: 20_000,
};

export function sessions(): Sessions {
  let server: NetconfServer;
  let connection: Connection;
  let script: NetconfScript = {};
  const scope = scopeOf();
  beforeAll(async () => {
    server = await startNetconfServer(() => script);
    connection = await newSsh().connect(targetOf(server), scope);
  });
  afterAll(async () => {
    await connection.close();
    await server.close();
  });
  return {
    scope,
    async open(of, options = {}) {
      script = of;
      return openSession(await connection.subsystem("netconf", scope), { ...plain, ...options }, scope);
    },
  };
}

/** Answers each call through a function. */
export const answering = (
  answer: (operation: XmlElement) => string,
  rest: NetconfScript = {},
): NetconfScript => ({
  ...rest,
  rpc: (operation, id, peer) => peer.reply(id, answer(operation)),
});
