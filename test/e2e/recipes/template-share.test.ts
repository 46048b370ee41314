/** A key with thirty two-second templates delays neither another key's small template nor a job's parser. */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { expect, test } from "vitest";
import { adminKey, programOf, startService, tempFolder } from "../../../src/testkit/service.ts";
import { submitTo } from "../../support/submit.ts";
import { simulated } from "../devices.ts";

const [program, ...begin] = programOf();

/** Exceeds any time limit but none of the engine's other limits. */
const spinning = "{% set s = 'ab' * 500000 %}{% for a in range(99999) %}{% set b = 'abx' in s %}{% endfor %}";

test("serves other keys and jobs while one key fills the template queue", async () => {
  const dataDir = tempFolder();
  const device = await simulated("cisco_ios", { hostname: "SW1" });
  const service = await startService({
    dataDir,
    env: { PATCHBAY_TEMPLATE_PROCESSES: "2", PATCHBAY_TEMPLATE_SECONDS: "2" },
  });
  const added = spawnSync(program, [...begin, "key", "add", "other", "--scope", "operate"], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, PATCHBAY_DATA_DIR: dataDir },
  });
  const other = { "X-API-KEY": added.stdout.trim() };
  const leaving = new AbortController();
  // The next follows each answer, so that the queue stays full however long the rest takes.
  let answered = 0;
  const renders = async () => {
    for (; !leaving.signal.aborted; answered++)
      await fetch(`${service.url}/template/render`, {
        method: "POST",
        headers: { "X-API-KEY": adminKey, "Content-Type": "application/json" },
        body: JSON.stringify({ template: spinning }),
        signal: leaving.signal,
      }).catch(() => {});
  };
  const greedy = Array.from({ length: 30 }, renders);
  /** What is asked for now is served before what the greedy key has asked for before. */
  const overtaking = async <T>(ask: Promise<T>): Promise<T> => {
    const before = answered;
    const answer = await ask;
    expect(answered - before).toBeLessThan(greedy.length);
    return answer;
  };
  try {
    const small = await overtaking(
      service.call("POST", "/template/render", { template: "{{ 1 + 1 }}" }, other),
    );
    expect(small).toMatchObject({ status: 200, body: { data: "2" } });
    const { host, port, username, password, secret } = { host: "127.0.0.1", ...device };
    const operation = {
      driver: "netmiko",
      connection_args: { device_type: "cisco_ios", host, port, username, password, secret },
      command: "show version",
      parsing: { name: "textfsm" },
    };
    const parsed = { status: "finished", result: { retval: { "show version": [{ hostname: "SW1" }] } } };
    const submitted = await submitTo(service, operation, other);
    expect(submitted).toMatchObject({ status: 201 });
    expect(await overtaking(service.ended(submitted.body.data.id))).toMatchObject(parsed);
    // A job, even of the greedy key, takes precedence over its renders.
    expect(await overtaking(service.run(operation))).toMatchObject(parsed);
  } finally {
    leaving.abort();
    await Promise.all(greedy);
    await service.stop();
    await device.stop();
  }
});
