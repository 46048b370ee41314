/**
 * Holds the volume of a log: what fails again and again, such as a device that is away or a caller that is refused, is
 * told a number of times a minute; further ones are counted, and the count is told when the minute is over.
 */

/** Lines a minute of one event about the same device, caller or plugin. */
const mostOfKind = 30;
/** Lines a minute of one event, whatever they are about. */
const mostOfEvent = 1_000;
const minuteMs = 60_000;
/** Values by which two lines of one event are about the same; other ones, such as ids, do not count. */
const about = [
  "host",
  "type",
  "status",
  "key",
  "from",
  "plugin",
  "driver",
  "platform",
  "what",
  "node",
] as const;
const troubles = /\.(failed|expired|refused)$/;

type Write = (event: string, fields?: object) => void;
type Levels = Record<"debug" | "info" | "warn" | "error", Write>;

interface Kind {
  readonly event: string;
  readonly about: Record<string, unknown>;
  told: number;
  more: number;
}

/** Lines of level debug, and those that tell of what went well, are not counted. */
export function boundRepeats(log: Levels, now: () => number): Levels {
  const kinds = new Map<string, Kind>();
  const told = new Map<string, number>();
  let minuteEnds = now() + minuteMs;

  /** Told with the first line after the minute: where nothing is written, nothing grows. */
  function endMinute(): void {
    minuteEnds = now() + minuteMs;
    const repeated = [...kinds.values()].filter(({ more }) => more > 0);
    kinds.clear();
    told.clear();
    for (const { event, about: fields, more } of repeated)
      log.warn("log.repeated", { of: event, times: more, ...fields });
  }

  function mayTell(event: string, fields: object): boolean {
    const ofEvent = told.get(event) ?? 0;
    // Beyond its lines an event is counted as a whole: no caller makes the list of kinds grow.
    const shared = ofEvent < mostOfEvent ? sharedOf(fields) : {};
    const name = JSON.stringify([event, shared]);
    const kind = kinds.get(name) ?? { event, about: shared, told: 0, more: 0 };
    kinds.set(name, kind);
    if (ofEvent >= mostOfEvent || kind.told >= mostOfKind) {
      kind.more++;
      return false;
    }
    kind.told++;
    told.set(event, ofEvent + 1);
    return true;
  }

  function bounded(level: "info" | "warn" | "error") {
    return (event: string, fields: object = {}) => {
      if (now() >= minuteEnds) endMinute();
      if (level === "info" && !isTrouble(event, fields)) return log.info(event, fields);
      if (mayTell(event, fields)) log[level](event, fields);
    };
  }

  return { debug: log.debug, info: bounded("info"), warn: bounded("warn"), error: bounded("error") };
}

function isTrouble(event: string, fields: object): boolean {
  return troubles.test(event) || ("status" in fields && Number(fields.status) >= 400);
}

function sharedOf(fields: object): Record<string, unknown> {
  const values = Object.entries(fields).filter(([name]) => about.some((known) => known === name));
  return Object.fromEntries(values);
}
