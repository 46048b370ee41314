/** Simulated servers of protocols, by the driver that speaks to them. */
import { startGnmiDevice } from "./gnmi/device.ts";
import { startNetconfSimulator } from "./netconf.ts";
import { startRestconfDevice } from "./restconf.ts";
import { type ServerName, serverNames } from "./server-names.ts";
import { startSnmpAgent } from "./snmp.ts";

export interface ServerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly username?: string;
  /** Of an SNMP agent: its community. */
  readonly password?: string;
  readonly hostname?: string;
}

export interface SimulatedServer {
  readonly port: number;
  /** `connection_args` that reach it. */
  readonly connection: Readonly<Record<string, string | number>>;
  stop(): Promise<void>;
}

const start: Readonly<Record<ServerName, (options: ServerOptions) => Promise<SimulatedServer>>> = {
  async gnmi(options) {
    const { port, stop } = await startGnmiDevice(options);
    return {
      port,
      stop,
      connection: { ...placeOf(options, port), transport: "insecure", ...loginOf(options) },
    };
  },
  async netconf(options) {
    const { port, stop } = await startNetconfSimulator(options);
    return { port, stop, connection: { ...placeOf(options, port), ...loginOf(options) } };
  },
  async restconf(options) {
    const { port, stop } = await startRestconfDevice(options);
    return { port, stop, connection: { ...placeOf(options, port), transport: "http", ...loginOf(options) } };
  },
  async snmp({ password: community = "admin", ...options }) {
    const { port, stop } = await startSnmpAgent({ ...options, community });
    return { port, stop, connection: { ...placeOf(options, port), community } };
  },
};

function placeOf({ host = "127.0.0.1" }: ServerOptions, port: number) {
  return { host: host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host, port };
}
const loginOf = ({ username = "admin", password = "admin" }: ServerOptions) => ({ username, password });

/** @param driver one of `serverNames` */
export function startServer(driver: string, options: ServerOptions = {}): Promise<SimulatedServer> {
  const name = serverNames.find((one) => one === driver);
  if (name === undefined) throw new TypeError(`There is no simulated server for ${driver}.`);
  return start[name](options);
}
