/** Whether the lines of a change were rehearsed as the groups of its devices ask. */
import { entryKey } from "../../api/inventory/inventory.ts";
import { type Grade, grades } from "../../api/rehearsal/rehearsal.ts";
import type { EffectiveDevice } from "../../inventory/port.ts";
import type { Store, StoredConfigVersion, StoredRehearsal } from "../../store/port.ts";
import { gradesOf } from "./rehearsing.ts";

/** Why a planned change may not begin, and what to do: sentences without their ends. */
export interface Objection {
  readonly why: string;
  readonly way: string;
}

type AskingDevice = Pick<EffectiveDevice, "name" | "change" | "changeFrom"> & {
  /** It gets a whole configuration, whose lines nobody grades. */
  readonly isWhole?: boolean;
};

const atOnce = 1_000;
const mostNamed = 3;

export function createRehearsalCheck({ changes, history }: Pick<Store, "changes" | "history">) {
  /** The versions that their configurations have now. */
  async function headsOf(names: readonly string[]): Promise<ReadonlyMap<string, Head>> {
    const states = await history.devices({ names }, names.length);
    return new Map(
      states.flatMap(({ device, latest }) => (latest === undefined ? [] : [[device.name, latest]])),
    );
  }

  /** @returns why the lines of the plan may not be sent */
  return async (id: string, devices: readonly AskingDevice[]): Promise<Objection | undefined> => {
    const asking = devices.filter(({ change }) => (change?.barred_grades ?? []).length > 0);
    const whole = createNames();
    const missing = createNames();
    const old = createNames();
    const barred = new Map<string, Names>();
    for (let from = 0; from < asking.length; from += atOnce) {
      const some = asking.slice(from, from + atOnce);
      const names = some.map(({ name }) => entryKey(name));
      const [rows, heads] = await Promise.all([changes.rehearsals(id, names), headsOf(names)]);
      const known = new Map(rows.map((row) => [row.device, row]));
      for (const device of some) {
        const said = known.get(entryKey(device.name));
        const head = heads.get(entryKey(device.name));
        if (device.isWhole === true) whole.add(device);
        else if (said === undefined) missing.add(device);
        else if (head !== undefined && isOlder(said, head)) old.add(device);
        else
          for (const [grade, lines] of barredIn(gradesOf(said), device)) {
            const of = barred.get(grade) ?? createNames();
            of.add(device, lines);
            barred.set(grade, of);
          }
      }
    }
    if (whole.count() > 0)
      return {
        why: `${whole.groups()} asks for a rehearsal, and a version that is given back as a whole has none: ${whole.shown()}`,
        way: "Push what is to change as lines, in a change of its own: the difference of each device shows them",
      };
    const way = "Rehearse its plan";
    if (missing.count() > 0)
      return {
        why: `${missing.groups()} asks for a rehearsal of its plan, and there is none for ${missing.shown()}`,
        way,
      };
    if (old.count() > 0)
      return {
        why: `${old.groups()} asks for a rehearsal of its plan, and the configuration of ${old.shown()} has changed since`,
        way,
      };
    const worst = grades.findLast((grade) => barred.has(grade));
    const of = worst === undefined ? undefined : barred.get(worst);
    return of && { why: `${of.groups()} takes no line that a rehearsal grades ${worst}: ${of.shown()}`, way };
  };
}

type Head = Pick<StoredConfigVersion, "version" | "takenAt">;

/** Without a number of the running configuration, whatever was read since may differ from what it was foretold from. */
const isOlder = ({ version, at }: Pick<StoredRehearsal, "version" | "at">, head: Head): boolean =>
  version === null ? head.takenAt > at : version !== head.version;

function barredIn(counts: Partial<Record<Grade, number>>, { change }: AskingDevice): [Grade, number][] {
  return (change?.barred_grades ?? []).flatMap((grade): [Grade, number][] => {
    const lines = counts[grade] ?? 0;
    return lines > 0 ? [[grade, lines]] : [];
  });
}

type Names = ReturnType<typeof createNames>;

/** Devices, of which the first are named. */
function createNames() {
  const first: string[] = [];
  let [count, group] = [0, ""];
  return {
    add({ name, changeFrom }: AskingDevice, lines?: number): void {
      if (count === 0) group = changeFrom.barred_grades ?? "";
      count++;
      if (first.length >= mostNamed) return;
      first.push(lines === undefined ? name : `${name} has ${lines === 1 ? "one" : lines}`);
    },
    count: () => count,
    groups: () => `the group ${group} of the inventory`,
    shown: () => `${first.join(", ")}${count > first.length ? `, and ${count - first.length} more` : ""}`,
  };
}
