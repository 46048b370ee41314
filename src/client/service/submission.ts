/** Builds the bulks of a command: devices, login and work. */
import { ServiceError } from "../../base/errors.ts";
import { defaultDeviceType, defaultDriver } from "../defaults.ts";
import type { Context } from "../input/contexts.ts";
import type { ClientEnvironment } from "../input/environment.ts";
import { readPairs } from "../input/pairs.ts";
import type { Terminal } from "../output/terminal.ts";
import { type Device, readCredential } from "../rooms/inventory.ts";

export interface DeviceFlags {
  readonly driver?: string;
  readonly type?: string;
  readonly user?: string;
  readonly port?: string;
  readonly credential?: string;
  /** If false, devices are logged in to without a password. */
  readonly password?: boolean;
  readonly askSecret?: boolean;
  readonly arg?: readonly string[];
  readonly driverArg?: readonly string[];
}

/** `connection_args` shared by all devices. */
export type Login = Readonly<Record<string, unknown>>;

export interface Bulk {
  /** Undefined: left to the inventory of the service. */
  readonly driver?: string;
  readonly connection_args: Login;
  readonly devices: readonly Readonly<Record<string, unknown>>[];
}

interface Circumstances {
  readonly environment: ClientEnvironment;
  readonly context: Context | undefined;
  readonly terminal: Pick<Terminal, "isAttended" | "ask" | "askHidden">;
}

/** One bulk per driver. @throws ServiceError Validation */
export async function prepareBulks(
  devices: readonly Device[],
  flags: DeviceFlags,
  circumstances: Circumstances,
): Promise<Bulk[]> {
  const { environment, context } = circumstances;
  const driver = flags.driver ?? environment.driver ?? context?.driver ?? defaultDriver;
  const login = await loginOf(devices, flags, circumstances);
  const drivers = new Set(devices.map((device) => device.driver ?? driver));
  return [...drivers].map((name) => {
    const type = flags.type ?? environment.deviceType ?? context?.device_type;
    const deviceType = type ?? (name === defaultDriver ? defaultDeviceType : undefined);
    return {
      driver: name,
      connection_args: {
        device_type: deviceType,
        ...(flags.port === undefined ? {} : { port: portOf(flags.port) }),
        ...login,
        ...readPairs(flags.arg ?? [], "--arg"),
      },
      devices: devices.filter((device) => (device.driver ?? driver) === name).map(({ fields }) => fields),
    };
  });
}

/** Prompts for a missing login at a terminal. Secrets are never flags: process lists show those. */
export async function loginOf(
  devices: readonly Device[],
  flags: DeviceFlags,
  { environment, terminal }: Omit<Circumstances, "context">,
): Promise<Login> {
  const secret =
    flags.askSecret === true
      ? await terminal.askHidden("Enable password of the devices: ")
      : environment.secret?.reveal();
  const more = secret === undefined || secret === "" ? {} : { secret };
  const named = flags.user ?? environment.username;
  const user = named === undefined ? {} : { username: named };
  if (flags.credential !== undefined)
    return { credential: readCredential(flags.credential), ...user, ...more };
  const withoutCredential = devices.filter(({ fields }) => fields.credential === undefined);
  const username =
    named ??
    (withoutCredential.some(({ fields }) => fields.username === undefined)
      ? await askUser(terminal)
      : undefined);
  const withUser = username === undefined ? {} : { username };
  const needed = withoutCredential.some(
    ({ fields }) => !["password", "pkey", "key_file", "use_keys"].some((name) => name in fields),
  );
  if (flags.password === false || !needed) return { ...withUser, ...more };
  const password = environment.password?.reveal() ?? (await askPassword(terminal, username));
  return { ...withUser, password, ...more };
}

async function askUser(terminal: Circumstances["terminal"]): Promise<string> {
  requireAttended(
    terminal,
    "No login is configured: use --user (PATCHBAY_CLIENT_USERNAME), or --credential.",
  );
  const name = await terminal.ask("Login of the devices: ");
  if (name === "") throw new ServiceError("Validation", "No login was given.");
  return name;
}

function askPassword(terminal: Circumstances["terminal"], username: string | undefined): Promise<string> {
  requireAttended(
    terminal,
    "No password is configured: use PATCHBAY_CLIENT_PASSWORD, --credential, or --no-password where keys are used.",
  );
  return terminal.askHidden(`Password of ${username ?? "the devices"}: `);
}

function requireAttended({ isAttended }: Pick<Terminal, "isAttended">, otherwise: string): void {
  if (!isAttended) throw new ServiceError("Validation", otherwise);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new ServiceError("Validation", "--port must be a number from 1 to 65535.");
}
