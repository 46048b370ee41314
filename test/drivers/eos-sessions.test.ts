/** Sessions on EOS that jobs of ours have left: found by the job in their name, never those of others. */
import { randomUUIDv7 } from "bun";
import { expect, test } from "vitest";
import { abandonedOf, newSessionName } from "../../plugins/drivers/shared/eos/sessions.ts";
import type { Context } from "../../src/plugin/index.ts";
import { taskContext } from "../plugin/context.ts";

const of = (id: string, ended: readonly string[] = []): Context => ({
  ...taskContext(),
  remaining: () => 600_000,
  job: { id, ended: async (ids) => ids.filter((one) => ended.includes(one)) },
});

test("the sessions of jobs that have ended are abandoned, at once; those of jobs that run are not", async () => {
  for (let round = 0; round < 200; round++) {
    const [dead, living, mine] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
    const left = newSessionName(of(dead));
    const names = [left, newSessionName(of(living)), "night-shift", "patchbay-", `patchbay-${dead}`];
    expect(await abandonedOf(names, of(mine, [dead]))).toEqual([left]);
  }
});

test("of another installation the latest end decides, and so it does of names without a job", async () => {
  const old = { ...of(randomUUIDv7()), remaining: () => -120_000 };
  const names = [newSessionName(old), newSessionName({ ...taskContext(), remaining: () => -120_000 })];
  const fresh = [
    newSessionName(of(randomUUIDv7())),
    newSessionName({ ...taskContext(), remaining: () => 1 }),
  ];
  expect(await abandonedOf([...names, ...fresh], of(randomUUIDv7()))).toEqual(names);
});

test("a name is short, and of letters, digits and hyphens", () => {
  const zero = newSessionName(of("00000000-0000-7000-8000-000000000001"));
  for (const name of [zero, newSessionName(of(randomUUIDv7()))]) expect(name).toMatch(/^[a-z0-9-]{40,60}$/);
});
