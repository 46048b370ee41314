/** GET /bulk/{name}/results: equal outputs are one group; bounded, and only what the key may see. */
import { describe, expect, test } from "vitest";
import type { ListedJob } from "../../../src/api/jobs/job.ts";
import type { ResultGroups } from "../../../src/api/jobs/result-groups.ts";
import type { ErrorKind } from "../../../src/base/errors.ts";
import type { Jobs } from "../../../src/jobs/port.ts";
import { createApp, jobRecord, keys, spy } from "../doubles/fixtures.ts";

function ended(number: number, retval: Record<string, unknown>, more: Partial<ListedJob> = {}): ListedJob {
  const named = { id: `job-${number}`, device: `sw${number}`, host: `192.0.2.${number}` };
  const result = { type: "success" as const, retval, error: null };
  return { ...jobRecord(1), ...named, result, ...more };
}

function failed(number: number, type: ErrorKind): ListedJob {
  const error = { type, message: `${type} of ${number}` };
  return ended(number, {}, { status: "failed", result: { type: "failed", retval: null, error } });
}

async function resultsOf(jobs: readonly ListedJob[], query = "", status = 200): Promise<ResultGroups> {
  const list = spy<Parameters<Jobs["list"]>, ReturnType<Jobs["list"]>>(async function* ({ id }) {
    yield jobs.filter((job) => id === undefined || job.id === id);
  });
  const answer = await createApp({ list }).send(`/bulk/b/results${query}`, { key: keys.read });
  expect(answer.status).toBe(status);
  for (const [filter] of list.calls.slice(0, 1)) expect(filter).toEqual({ bulk_id: "b" });
  return answer.body.data as ResultGroups;
}

const version = (text: string) => ({ "show version": text, "show clock": `at ${text}` });
const jobs = [
  ended(1, version("17.9\n")),
  ended(2, version("15.2")),
  ended(3, version("17.9\r\n")),
  failed(4, "ReadTimeout"),
  failed(5, "ReadTimeout"),
  failed(6, "AuthenticationFailed"),
  ended(7, {}, { status: "running", result: null }),
];

describe("results of a bulk", () => {
  test("devices with equal outputs are one group, the largest first", async () => {
    const { groups, failures, ...rest } = await resultsOf(jobs, "?command=show%20version");
    expect(groups.map(({ count, output }) => [count, output])).toEqual([
      [2, "17.9"],
      [1, "15.2"],
    ]);
    expect(groups[0]?.devices).toEqual([
      { id: "job-1", device: "sw1", host: "192.0.2.1" },
      { id: "job-3", device: "sw3", host: "192.0.2.3" },
    ]);
    expect(failures.map(({ error_type, count, message }) => [error_type, count, message])).toEqual([
      ["ReadTimeout", 2, "ReadTimeout of 4"],
      ["AuthenticationFailed", 1, "AuthenticationFailed of 6"],
    ]);
    const commands = ["show version", "show clock"];
    expect(rest).toEqual({ jobs: 6, without_result: 1, commands, more_groups: 0 });
  });

  test("without a command, each command has its groups", async () => {
    const { groups } = await resultsOf(jobs);
    expect(groups.map(({ command }) => command)).toEqual([
      ...["show version", "show version", "show clock", "show clock"],
    ]);
  });

  test("only outputs that contain a text, in any case", async () => {
    const { groups, failures } = await resultsOf(jobs, "?contains=AT+15");
    expect(groups.map(({ output }) => output)).toEqual(["at 15.2"]);
    expect(failures).toEqual([]);
  });

  test("parsed outputs are compared as JSON, and long ones are cut", async () => {
    const long = "x".repeat(20_000);
    const parsed = { "show version": [{ version: "17.9" }] };
    const data = await resultsOf([ended(1, parsed), ended(2, parsed), ended(3, version(long))]);
    expect(data.groups[0]).toMatchObject({ count: 2, parsed: true });
    expect(JSON.parse(data.groups[0]?.output ?? "")).toEqual([{ version: "17.9" }]);
    expect(data.groups[1]).toMatchObject({ count: 1, cut: true });
    expect(data.groups[1]?.output).toHaveLength(16_384);
  });

  test("groups and devices are limited, and what is left out is counted", async () => {
    const many = Array.from({ length: 300 }, (_, at) => ended(at, { x: String(Math.floor(at / 3)) }));
    const { groups, more_groups } = await resultsOf(many, "?limit=7&devices=2");
    expect([groups.length, more_groups]).toEqual([7, 93]);
    expect(groups.every(({ count, devices }) => count === 3 && devices.length === 2)).toBe(true);
    for (const wrong of ["?limit=0", "?limit=201", "?devices=1001", "?contains=", "?grep=x"])
      await resultsOf(jobs, wrong, 422);
  });

  test("a bulk that the key may not see is not there", async () => {
    await resultsOf([], "", 404);
  });
});
