/**
 * Runs the suites of engines, webhooks, credential sources and platforms on built-ins and examples: in a whole run
 * with the compiled program, else from source.
 */

import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import acmeOs from "../../examples/acme-os/plugin.ts";
import { type AcmeDevice, startDevice } from "../../examples/acme-rest/device.ts";
import chat from "../../examples/chat/plugin.ts";
import kvVault from "../../examples/kv-vault/plugin.ts";
import shout from "../../examples/shout/plugin.ts";
import eta from "../../plugins/templates/eta/plugin.ts";
import jinja2 from "../../plugins/templates/jinja2/plugin.ts";
import textfsm from "../../plugins/templates/textfsm/plugin.ts";
import ttp from "../../plugins/templates/ttp/plugin.ts";
import basic from "../../plugins/webhooks/basic/plugin.ts";
import {
  type Case,
  credentialSuite,
  engineSuite,
  platformSuite,
  type Service,
  type SimulatedDevice,
  simulate,
  startService,
  tempFolder,
  webhookSuite,
} from "../../src/testkit/index.ts";

const token = "canary-device-token-5";
const vaultToken = "canary-vault-token-5";
const hookSecret = "canary-hook-secret-5";
const transcripts = "examples/acme-os/transcripts";
const register = (suite: readonly Case[]) => {
  for (const { name, run } of suite) test(name, run);
};

describe("the plugin suites", () => {
  let running: Service;
  let rest: AcmeDevice;
  let cli: SimulatedDevice;
  let vault: Server;
  const dataDir = tempFolder();
  const service = () => running;

  beforeAll(async () => {
    [rest, cli, vault] = await Promise.all([
      startDevice(token),
      simulate(acmeOs, { hostname: "edge7", transcripts }),
      startVault(),
    ]);
    const address = vault.address();
    mkdirSync(join(dataDir, "templates"));
    writeFileSync(join(dataDir, "templates", "right.eta"), "hostname <%= it.name %>");
    writeFileSync(join(dataDir, "templates", "wrong.eta"), "a\n<%= it.name");
    writeFileSync(join(dataDir, "templates", "endless.eta"), "<% for (;;) {} %>");
    running = await startService({
      dataDir,
      plugins: [resolve("examples")],
      env: {
        PATCHBAY_URL_ALLOW: "127.0.0.1",
        PATCHBAY_TEMPLATE_ROOTS: join(dataDir, "templates"),
        PATCHBAY_PLUGIN_ACME_REST_SCHEME: "http",
        PATCHBAY_PLUGIN_KV_VAULT_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
        PATCHBAY_PLUGIN_KV_VAULT_TOKEN: vaultToken,
      },
    });
  });
  afterAll(async () => {
    await running.stop();
    await cli.stop();
    rest.close();
    vault.close();
  });

  const context = { name: "r1" };
  describe("jinja2", () => {
    register(
      engineSuite({
        plugin: jinja2,
        service,
        right: { template: "hostname {{ name }}", context, gives: "hostname r1" },
        wrong: { template: "a\n{% if %}", context, line: 2 },
        tooMuch: { template: "{% for i in range(10**9) %}{% endfor %}", context },
      }),
    );
  });
  describe("eta", () => {
    const file = (name: string) => `file://${join(dataDir, "templates", name)}`;
    register(
      engineSuite({
        plugin: eta,
        service,
        right: { template: file("right.eta"), context, gives: "hostname r1" },
        wrong: { template: file("wrong.eta"), context, line: 2 },
        tooMuch: { template: file("endless.eta"), context },
      }),
    );
  });
  describe("textfsm", () => {
    register(
      engineSuite({
        plugin: textfsm,
        service,
        right: {
          template: "Value NAME (\\S+)\n\nStart\n  ^name ${NAME} -> Record\n",
          context: "name a\nname b\n",
          gives: [{ NAME: "a" }, { NAME: "b" }],
        },
        wrong: {
          template: "Value NAME (\\S+)\n\nStart\n  ^name $NA{ME -> Record\n",
          context: "",
          line: 4,
        },
        tooMuch: {
          template: `Value A (.*)\n\nStart\n${"  ^(.*)(.*)(.*)x$$ -> Continue\n".repeat(200)}`,
          context: `${"y".repeat(2_000)}\n`.repeat(500),
        },
      }),
    );
  });
  describe("ttp", () => {
    register(
      engineSuite({
        plugin: ttp,
        service,
        right: {
          template: "name {{ name }}",
          context: "name a\nname b\n",
          gives: [{ name: "a" }, { name: "b" }],
        },
        wrong: { template: "<group>\nname {{ name }}\n</grou>", context: "name a", line: 3 },
        tooMuch: {
          template:
            '<macro>\ndef turn(data):\n    while True:\n        pass\n    return data\n</macro>\n<group>\nname {{ name | macro("turn") }}\n</group>',
          context: "name a\n",
        },
      }),
    );
  });
  describe("shout", () => {
    register(
      engineSuite({
        plugin: shout,
        service,
        right: { template: "hostname %{name}", context, gives: "hostname R1" },
        wrong: { template: "a\nb %{", context, line: 2 },
      }),
    );
  });

  const job = (more: object = {}) => ({
    driver: "acme-rest",
    connection_args: { host: "127.0.0.1", port: rest.port, token, ...more },
    command: "config",
  });
  describe("basic", () => {
    register(
      webhookSuite({
        plugin: basic,
        service,
        options: (url) => ({ name: "basic", url, secret: hookSecret, timeout: 1, retry_intervals: [60] }),
        job,
        secrets: [hookSecret, token],
      }),
    );
  });
  describe("chat", () => {
    register(
      webhookSuite({
        plugin: chat,
        service,
        options: (room) => ({ name: "chat", room, token: hookSecret }),
        job,
        secrets: [hookSecret, token],
      }),
    );
  });
  describe("kv-vault", () => {
    register(
      credentialSuite({
        plugin: kvVault,
        service,
        job: (credential) => job({ token: undefined, credential }),
        right: { path: "core/r1" },
        missing: { path: "core/absent" },
        malformed: { path: "../../etc" },
        secrets: [token, vaultToken],
      }),
    );
  });
  describe("acme_os", () => {
    register(platformSuite({ plugin: acmeOs, service, device: () => cli, driver: "netmiko", transcripts }));
  });
});

async function startVault(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url === "/v1/secret/core/r1") response.end(JSON.stringify({ data: { token } }));
    else response.writeHead(404).end(`no ${request.headers["x-vault-token"]} here`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
