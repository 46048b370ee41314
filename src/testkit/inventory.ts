/**
 * Test suites for plugins of the inventory. Formats: what is written reads back, faulty and hostile texts, limits,
 * secrets. Sources: what they fetch, fields, failures, secrets. They replace the inventory of the service.
 */
import { strict as assert } from "node:assert";
import type { InventoryFormatPlugin, InventorySourcePlugin } from "../plugin/inventory.ts";
import { type Case, casesOf, shown } from "./case.ts";
import { assertNoSecret, assertNoSecretKept } from "./leaks.ts";
import type { Service } from "./service.ts";

export interface InventoryFormatSuiteOptions {
  readonly plugin: InventoryFormatPlugin;
  service(): Service;
  /** A text whose devices all have a host, and their names. */
  readonly text: string;
  readonly devices: readonly string[];
  /** `delimiter` and `map` of the text. */
  readonly columns?: Readonly<Record<string, string>>;
  /** A text with a fault, and its place: `line 2`. */
  readonly wrong: { readonly text: string; readonly at: string };
  /** A text with this many devices. */
  many(count: number): string;
  /** A text with secrets, which must not be taken over. */
  readonly secret?: { readonly text: string; readonly secrets: readonly string[] };
}

interface Changes {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** More than the service reads from a text. */
const tooMany = 100_001;
const tooLong = 8 * 1024 * 1024 + 1;

const aliases = [
  "a: &a [x, x, x, x, x, x, x, x, x, x]",
  ...Array.from({ length: 12 }, (_, at) => {
    const [name, before] = [at + 1, at].map((index) => String.fromCharCode(97 + index));
    return `${name}: &${name} [${Array(10).fill(`*${before}`).join(", ")}]`;
  }),
].join("\n");

/** Read or refused by every format, but never harmful. */
const hostile: Readonly<Record<string, string>> = {
  nothing: "",
  "deep lists": "[".repeat(200_000),
  "deep objects": '{"a":'.repeat(100_000),
  "deep indentation": Array.from({ length: 2_000 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
  "aliases of aliases": `${aliases}\ndevices: *m\n`,
  "a long line": "x".repeat(1_000_000),
  "many lines": "\n".repeat(1_000_000),
  "control characters": "\0\u0001\ud800\u2028",
  "a name of every object": '{"__proto__":{"polluted":true},"devices":[{"name":"__proto__"}]}',
};

export function inventoryFormatSuite(options: InventoryFormatSuiteOptions): Case[] {
  const { plugin, service, text, devices, columns = {}, wrong, secret } = options;
  const isExported = plugin.exports !== undefined;

  async function importText(given: string, query: Readonly<Record<string, string>> = {}) {
    const { url, key } = service();
    const search = new URLSearchParams({ format: plugin.name, create_groups: "true", ...columns, ...query });
    const response = await fetch(`${url}/inventory/import?${search}`, {
      method: "POST",
      headers: { "X-API-KEY": key, "Content-Type": "text/plain" },
      body: given,
    });
    return { status: response.status, text: await response.text() };
  }

  async function imported(given: string): Promise<Changes> {
    const answer = await importText(given);
    assert.equal(answer.status, 200, answer.text.slice(0, 4_000));
    return JSON.parse(answer.text).data;
  }

  return casesOf([
    {
      name: "the devices of a text are imported",
      async run() {
        await emptied(service());
        await imported(text);
        assert.deepEqual(await namesIn(service()), [...devices].sort());
      },
    },
    isExported && {
      name: "what is exported is imported again without a change",
      async run() {
        const { url, key } = service();
        const search = new URLSearchParams({ format: plugin.name, ...columns });
        const response = await fetch(`${url}/inventory/export?${search}`, { headers: { "X-API-KEY": key } });
        assert.equal(response.status, 200);
        assert.match(response.headers.get("content-type") ?? "", new RegExp(`^${plugin.exports?.type};`));
        const { added, changed, removed } = await imported(await response.text());
        assert.deepEqual({ added, changed, removed }, { added: 0, changed: 0, removed: 0 });
      },
    },
    {
      name: "a faulty text is refused with the place of the fault, and nothing is imported",
      async run() {
        const answer = await importText(wrong.text);
        assert.equal(answer.status, 422, answer.text);
        const [issue] = JSON.parse(answer.text).data;
        assert.equal(issue.path, wrong.at, answer.text);
        assert.deepEqual(await namesIn(service()), [...devices].sort());
      },
    },
    ...Object.entries(hostile).map(([name, given]) => ({
      name: `a hostile text does no harm: ${name}`,
      async run() {
        const { status, text: answer } = await importText(given, { dry_run: "true" });
        assert.ok([200, 400, 413, 422].includes(status), `${status}: ${answer.slice(0, 400)}`);
        assert.deepEqual(await namesIn(service()), [...devices].sort());
      },
    })),
    {
      name: "a text with too many devices, or of too many bytes, is refused",
      async run() {
        const many = await importText(options.many(tooMany), { dry_run: "true" });
        assert.equal(many.status, 413, many.text.slice(0, 400));
        const long = await importText("x".repeat(tooLong), { dry_run: "true" });
        assert.equal(long.status, 413, long.text.slice(0, 400));
      },
    },
    secret !== undefined && {
      name: "a secret in a text is not stored",
      async run() {
        const answer = await importText(secret.text);
        assertNoSecret("the answer", answer.text, secret.secrets);
        assertNoSecretKept(service(), secret.secrets);
      },
    },
  ]);
}

export interface InventorySourceSuiteOptions {
  readonly plugin: InventorySourcePlugin;
  service(): Service;
  /** Body of `PUT /inventory/source/{name}` besides `kind`, and the names of the devices that it brings. */
  source(): object;
  readonly devices: readonly string[];
  /** Fields that the plugin refuses, and the first of them. */
  readonly malformed: { readonly fields: object; readonly at: string };
  /** Fields with which the sync fails: a wrong credential, or a server that refuses. */
  failing(): object;
  /** What the credential resolves to. */
  readonly secrets: readonly string[];
}

export function inventorySourceSuite(options: InventorySourceSuiteOptions): Case[] {
  const { plugin, service, devices, malformed, secrets } = options;
  const path = `/inventory/source/suite-${plugin.name}`;
  const answers: unknown[] = [];

  const put = async (more: object = {}) => {
    const body = { kind: plugin.name, mode: "mirror", max_removals: 0, ...options.source(), ...more };
    const answer = await service().call("PUT", path, body);
    answers.push(answer.body);
    return answer;
  };
  const sync = async () => {
    const answer = await service().call<Changes>("POST", `${path}/sync`);
    answers.push(answer.body);
    return answer;
  };

  return [
    {
      name: "a source brings its devices",
      async run() {
        await emptied(service());
        const { status, body } = await put();
        assert.ok([200, 201].includes(status), shown(body));
        const synced = await sync();
        assert.equal(synced.status, 200, shown(synced.body));
        assert.deepEqual(await namesIn(service()), [...devices].sort());
      },
    },
    {
      name: "a second sync changes nothing",
      async run() {
        const { body } = await sync();
        const { added, changed, removed } = body.data;
        assert.deepEqual({ added, changed, removed }, { added: 0, changed: 0, removed: 0 }, shown(body));
      },
    },
    {
      name: "fields that the plugin does not take are refused by name",
      async run() {
        const { status, body } = await put(malformed.fields);
        assert.equal(status, 422, shown(body));
        assert.match(shown(body), new RegExp(`"path": "${malformed.at}"`));
      },
    },
    {
      name: "a URL of another scheme is refused",
      async run() {
        const { status, body } = await put({ url: "gopher://192.0.2.1/" });
        assert.equal(status, 422, shown(body));
        assert.match(shown(body), /"path": "url"/);
      },
    },
    {
      name: "a failed sync has a reason, and removes nothing",
      async run() {
        await put(options.failing());
        const { body } = await sync();
        assert.notEqual(body.code, 200, shown(body));
        const { body: read } = await service().call<{ runs: { status: string; error: string }[] }>(
          "GET",
          path,
        );
        answers.push(read);
        assert.equal(read.data.runs[0]?.status, "failed", shown(read));
        assert.ok(read.data.runs[0]?.error, shown(read));
        assert.deepEqual(await namesIn(service()), [...devices].sort());
      },
    },
    {
      name: "no secret is answered or stored",
      async run() {
        assertNoSecret("an answer", JSON.stringify(answers), secrets);
        assertNoSecretKept(service(), secrets);
      },
    },
  ];
}

async function emptied(service: Service): Promise<void> {
  const { status, body } = await service.call("POST", "/inventory/device", {
    mode: "mirror",
    devices: [],
    groups: [],
  });
  assert.equal(status, 200, shown(body));
}

async function namesIn(service: Service): Promise<string[]> {
  const { body } = await service.call<{ name: string }[]>("GET", "/inventory/device");
  return body.data.map(({ name }) => name).sort();
}
