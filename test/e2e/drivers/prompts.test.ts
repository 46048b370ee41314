/** Promise P150: simulated devices whose output pauses at text like a prompt, and whose prompts contain a counter or a clock. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Service, startService } from "../../../src/testkit/service.ts";
import { simulated } from "../devices.ts";

const log = "SW2#show version\nR1(config)#end\nCopying: 45% of it\n$ ls\n<SW2>x\nroot@web02:~# id\nuid=0";
let service: Service;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "prompts-"));
  for (const name of ["show_log", "display_log", "cat_log"]) writeFileSync(join(folder, `${name}.txt`), log);
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test.each([
  ["cisco_ios", "show log", ["interface Loopback7", "description x"], undefined],
  ["cisco_ios", "show log", ["interface Loopback7", "description x"], "counter"],
  ["arista_eos", "show log", ["interface Loopback7"], "clock"],
  ["huawei", "display log", ["interface LoopBack7"], "counter"],
] as const)("%s: `%s` is whole, and the push finishes", async (name, command, config, shows) => {
  const device = await simulated(name, {
    transcripts: folder,
    faults: { pauseMs: 700 },
    ...(shows === undefined ? {} : { promptShows: shows }),
  });
  const connection = {
    ...{ device_type: name, host: "127.0.0.1", port: device.port },
    ...{ username: device.username, password: device.password, secret: device.secret },
  };
  const request = { driver: "netmiko", connection_args: connection, options: { ttl: 120 } };
  try {
    const read = await service.run({ ...request, command: [command, `${command} `] });
    expect(read.result?.error).toBeNull();
    expect(read.result).toMatchObject({ retval: { [command]: log } });
    expect(Object.values(read.result?.retval ?? {})).toEqual([log, log]);
    const pushed = await service.run({ ...request, config: [...config], driver_args: { save: false } });
    expect(pushed.result?.error).toBeNull();
    expect(pushed.status).toBe("finished");
    const typed = device.commands();
    expect(typed.filter((line) => config.some((one) => one === line))).toEqual([...config]);
  } finally {
    await device.stop();
  }
});
