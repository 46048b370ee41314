/** A rehearsal without a version of the running configuration, as of a system that is compared by commands, grows old too. */
import { expect, test } from "vitest";
import { createRehearsalCheck } from "../../src/changes/rehearsing/rehearsal-check.ts";
import { endStore, makePlace, openStore } from "../store/support.ts";

test.each([
  [null, 99, undefined],
  [null, 101, "has changed since"],
  [7, 101, undefined],
  [6, 99, "has changed since"],
])("rehearsed at 100 from version %s, and version 7 is of %s: %s", async (version, takenAt, why) => {
  const place = await makePlace("file");
  const store = await openStore(place);
  try {
    const said = { device: "sw1", jobId: "j", grades: "{}", refusals: 0, version, at: 100 };
    const [device, latest] = [{ name: "sw1" }, { version: 7, takenAt }];
    const check = createRehearsalCheck({
      changes: { ...store.changes, rehearsals: async () => [said] },
      history: { ...store.history, devices: async () => [{ device, latest, good: 1, suspects: 0 } as never] },
    });
    const asking = { name: "sw1", change: { barred_grades: ["locks_out"] }, changeFrom: {} } as never;
    const found = await check("c1", [asking]);
    expect(found?.why).toEqual(why === undefined ? undefined : expect.stringContaining(why));
  } finally {
    await endStore(store);
    await place.remove();
  }
});
