/** A push as the draft of a change: one mapping for the command line and the console. Pure. */
import { isGiven, isRecord } from "../../base/json/members.ts";

/** As in the bodies of POST /device/execute and POST /device/bulk. */
type Push = Readonly<Record<string, unknown>>;

export interface ChangeOfPush {
  /** As in the body of POST /change. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Paths of what a change has no place for. */
  readonly misplaced: readonly string[];
}

/** They have the same name and meaning in both. */
const same = ["select", "config", "rendering", "checks"] as const;
const sameOptions = ["ticket", "note", "ttl", "not_before"] as const;
/** What becomes of them is decided by the plan: it selects once, and shows what a dry run would. */
const planned = ["limit"] as const;
const mapped: ReadonlySet<string> = new Set([
  ...[...same, ...planned, "device", "devices", "connection_args", "driver_args", "concurrency", "options"],
]);
const mappedOptions: ReadonlySet<string> = new Set([...sameOptions, "label"]);

/** @param name if it has no label */
export function changeOfPush(push: Push, name: string): ChangeOfPush {
  const options = membersOf(push.options);
  const { dry_run: _, ...args } = membersOf(push.driver_args);
  const { host, ...login } = membersOf(push.connection_args);
  const targets: readonly Push[] = [
    ...(Array.isArray(push.devices) ? push.devices.map(membersOf) : []),
    ...[push.device, host].filter(isGiven).map((device) => ({ device })),
  ];
  const devices = targets.map((one) => one.device ?? one.host).filter(isGiven);
  const change = {
    name: options.label ?? name,
    ...of(push, same),
    ...of(options, sameOptions),
    ...(devices.length === 0 ? {} : { devices }),
    ...(Object.keys(args).length === 0 ? {} : { driver_args: args }),
    ...(isGiven(push.concurrency) ? { strategy: { concurrency: push.concurrency } } : {}),
  };
  const others = (from: Push, known: ReadonlySet<string>, path = "") =>
    Object.keys(from)
      .filter((key) => !known.has(key) && isGiven(from[key]))
      .map((key) => `${path}${key}`);
  const misplaced = [
    ...others(push, mapped),
    ...others(options, mappedOptions, "options."),
    ...others(login, new Set(), "connection_args."),
    ...targets.flatMap((one) => others(one, new Set(["device", "host"]), "devices.")),
  ];
  return { change, misplaced: [...new Set(misplaced)] };
}

const membersOf = (value: unknown): Push => (isRecord(value) ? value : {});

const of = (from: Push, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => isGiven(from[name])).map((name) => [name, from[name]]));
