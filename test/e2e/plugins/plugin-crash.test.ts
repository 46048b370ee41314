/**
 * P38: a third-party driver unaware of crashes is killed twice in the middle of a push: each device is
 * contacted once; in a plain run one of them from source or with the binary.
 */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AcmeDevice, startDevice } from "../../../examples/acme-rest/device.ts";
import { needs } from "../../../scripts/testbed/catalogue.ts";
import { type Sshd, startSshd } from "../../../scripts/testbed/openssh.ts";
import type { JobRecord } from "../../../src/api/jobs/job.ts";
import { type Service, type ServiceOptions, startService, tempFolder } from "../../../src/testkit/service.ts";
import { binary } from "../binary.ts";
import { programs } from "../programs.ts";

const settings = async (how: string, dataDir: string): Promise<ServiceOptions> => ({
  ...(how === "binary" ? { binary: await binary() } : { runtime: "bun" }),
  dataDir,
  env: { PATCHBAY_PLUGINS: resolve("examples"), PATCHBAY_PLUGIN_ACME_REST_SCHEME: "http" },
});

/** Submits, kills the service once the device was contacted, and restarts it; twice. @returns both results. */
async function killedTwice(how: string, body: object, asked: () => Promise<void>): Promise<JobRecord[]> {
  const dataDir = tempFolder();
  const ids: string[] = [];
  for (let kill = 0; kill < 2; kill++) {
    const service = await startService(await settings(how, dataDir));
    const answer = await service.call<{ id: string }>("POST", "/device/execute", body);
    ids.push(answer.body.data.id);
    await asked();
    await service.kill();
  }
  const service: Service = await startService(await settings(how, dataDir));
  const ends = await Promise.all(ids.map(service.ended));
  await service.stop();
  return ends;
}

const unknown = (sent: string[]) => ({
  status: "failed",
  result: { error: { type: "WorkerLost", outcome: "unknown", sent } },
});

describe("acme-rest, over HTTP", () => {
  let device: AcmeDevice;
  beforeAll(async () => {
    device = await startDevice("token");
  });
  afterAll(() => device.close());

  test.each(programs)("sends a configuration once and reports an unknown outcome, from %s", async (how) => {
    device.requests.length = 0;
    let asked = Promise.withResolvers<void>();
    device.hold = () => {
      asked.resolve();
      asked = Promise.withResolvers();
      return new Promise(() => {});
    };
    const connection_args = { host: "127.0.0.1", port: device.port, token: "token" };
    const ends = await killedTwice(
      how,
      { driver: "acme-rest", connection_args, config: ["a", "b"] },
      () => asked.promise,
    );
    expect(ends).toMatchObject([unknown(["a", "b"]), unknown(["a", "b"])]);
    expect(device.requests).toEqual(["PATCH /restconf/config", "PATCH /restconf/config"]);
  });
});

describe.skipIf(needs("openssh"))("acme-exec, over exec channels of SSH", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());

  test.each(["config", "command"])("runs a %s once and reports an unknown outcome", async (kind) => {
    const folder = tempFolder();
    // The SSH server runs as another user.
    chmodSync(folder, 0o777);
    const seen = join(folder, "seen");
    writeFileSync(seen, "");
    chmodSync(seen, 0o666);
    // Runs until the file is gone: a command over exec outlives its connection.
    const over = join(folder, "over");
    const line = `echo run >> ${seen}; while [ -e ${seen} ]; do sleep 0.1; done; echo over >> ${over}`;
    const linesOf = (file: string) => readFileSync(file, "utf8").split("\n").length - 1;
    const lines = () => linesOf(seen);
    let before = 0;
    const asked = async () => {
      while (lines() === before) await new Promise((resolve) => setTimeout(resolve, 10));
      before = lines();
    };
    const { host, port, user: username, password } = sshd;
    const body = { driver: "acme-exec", connection_args: { host, port, username, password }, [kind]: [line] };
    try {
      expect(await killedTwice("binary", body, asked)).toMatchObject([unknown([line]), unknown([line])]);
      expect(lines()).toBe(2);
    } finally {
      rmSync(seen);
    }
    await expect.poll(() => existsSync(over) && linesOf(over)).toBe(2);
  });
});
