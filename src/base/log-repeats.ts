/**
 * Rate limit of the log: a repeated failure, such as an unreachable device or a refused caller, is logged a number of
 * times a minute; the rest are counted, and the count is logged once the minute is over.
 */

/** Lines per minute for one event about the same device, caller or plugin. */
const maxOfKind = 30;
/** Lines per minute for one event in total. */
const maxOfEvent = 1_000;
const minuteMs = 60_000;
/** Fields that identify what a line is about; others, such as ids, are ignored. */
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
  logged: number;
  more: number;
}

/** Debug lines and reports of success are not limited. */
export function boundRepeats(log: Levels, now: () => number): Levels {
  const kinds = new Map<string, Kind>();
  const loggedByEvent = new Map<string, number>();
  let minuteEnds = now() + minuteMs;

  /** Logged together with the first line after the minute, so no timer is needed. */
  function endMinute(): void {
    minuteEnds = now() + minuteMs;
    const repeated = [...kinds.values()].filter(({ more }) => more > 0);
    kinds.clear();
    loggedByEvent.clear();
    for (const { event, about: fields, more } of repeated)
      log.warn("log.repeated", { of: event, times: more, ...fields });
  }

  function mayTell(event: string, fields: object): boolean {
    const ofEvent = loggedByEvent.get(event) ?? 0;
    // Above its limit an event is counted as a whole, so that callers cannot grow the list of kinds.
    const shared = ofEvent < maxOfEvent ? sharedOf(fields) : {};
    const name = JSON.stringify([event, shared]);
    const kind = kinds.get(name) ?? { event, about: shared, logged: 0, more: 0 };
    kinds.set(name, kind);
    if (ofEvent >= maxOfEvent || kind.logged >= maxOfKind) {
      kind.more++;
      return false;
    }
    kind.logged++;
    loggedByEvent.set(event, ofEvent + 1);
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
  const values = Object.entries(fields).filter(([name]) => about.some((field) => field === name));
  return Object.fromEntries(values);
}
