/** The netmiko driver with the thread's real kit, on real FRR, without the service. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import netmiko from "../../plugins/drivers/netmiko/plugin.ts";
import { needs } from "../../scripts/testbed/catalogue.ts";
import { type Frr, startFrr } from "../../scripts/testbed/frr.ts";
import { silentLog } from "../../src/base/log.ts";
import { monotonicMs } from "../../src/base/time/monotonic.ts";
import { createHandlers, type Handlers } from "../../src/executor/handlers.ts";
import { createMasking } from "../../src/executor/masking.ts";
import type { PlatformPlugin } from "../../src/plugin/index.ts";
import type { ThreadQuestion } from "../../src/protocol/message-port.ts";
import { createRegistry } from "../../src/registry/registry.ts";
import { taskContext } from "../plugin/context.ts";
import { plainSettings } from "./fixtures.ts";

const vtysh: PlatformPlugin = {
  api: 1,
  kind: "platform",
  name: "vtysh_for_test",
  home: "privileged",
  config: "config",
  levels: {
    exec: { prompt: /[\w.-]{1,63}>\s?$/ },
    config: {
      prompt: /[\w.-]{1,63}\(config[^)]*\)#\s?$/,
      from: "privileged",
      enter: "configure terminal",
      leave: "end",
    },
    privileged: {
      prompt: /[\w.-]{1,63}#\s?$/,
      from: "exec",
      enter: "enable",
      leave: "disable",
      asks: /password:\s*$/i,
    },
  },
  prepare: ["terminal length 0"],
  errors: [/^% (?:Unknown|Ambiguous|Command incomplete)/m],
};

describe.skipIf(needs("frr"))("the kit of a thread", () => {
  let frr: Frr;
  let handlers: Handlers;
  let trusted: SharedArrayBuffer;
  const questions: ThreadQuestion[] = [];

  beforeAll(async () => {
    frr = await startFrr();
    const registry = createRegistry();
    registry.add(netmiko, "builtin");
    registry.add(vtysh, "builtin");
    trusted = new SharedArrayBuffer(8);
    new Float64Array(trusted)[0] = monotonicMs() + 600_000;
    const settings = { ...plainSettings, leaseValidUntil: trusted };
    const ask = async (question: ThreadQuestion) => {
      questions.push(question);
      return [];
    };
    handlers = createHandlers({
      settings,
      registry,
      log: silentLog,
      masking: createMasking(),
      ask,
      onSession() {},
    });
  });
  afterAll(async () => {
    await handlers.evict();
    await frr.stop();
  });

  const query = (command: string) =>
    handlers.run(
      {
        kind: "query",
        driver: "netmiko",
        connection: {
          device_type: "vtysh_for_test",
          host: frr.host,
          port: frr.port,
          username: frr.user,
          password: frr.password,
        },
        args: {},
        reach: [],
        keep: true,
        commands: [command],
      },
      taskContext(),
    );

  test("reuses a kept session and learns the host key on first use", async () => {
    expect(await query("show version")).toMatchObject({ reused: false });
    expect(await query("show version")).toMatchObject({ reused: true });
    expect(questions.map((question) => question.about)).toEqual(["knownHostKeys", "learnHostKey"]);
  });

  test("sends nothing once the lease of the node has ended", async () => {
    new Float64Array(trusted)[0] = monotonicMs() - 1;
    const commands = frr.log();
    await expect(query("show interface")).rejects.toMatchObject({ kind: "WorkerLost" });
    expect(frr.log()).toBe(commands);
    new Float64Array(trusted)[0] = monotonicMs() + 600_000;
    expect(await query("show version")).toMatchObject({ reused: false });
  });
});
