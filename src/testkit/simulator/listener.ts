/** Shared types of the SSH and Telnet servers of a simulated device, and the port they listen on. */
import { once } from "node:events";
import type { Server } from "node:net";
import type { ServerChannel } from "../../device/ssh/ssh2.ts";
import type { Faults } from "./faults.ts";
import type { Attachment, Line } from "./line.ts";
import type { Thinking } from "./terminal/thinking.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly faults: Faults;
  readonly thinking: Thinking;
  readonly hostKey: string | undefined;
  attach(line: Line): Attachment;
  /** It reloads: nothing answers. */
  isDown?(): boolean;
  /** A file arrives by SCP. */
  receive?(channel: ServerChannel, command: string): void;
}

export interface Listening {
  readonly port: number;
  /** Closes the open connections. */
  hangUp(): void;
  stop(): Promise<void>;
}

/** @param hangUp closes the open connections */
export async function listenOn(
  server: Server,
  { host, port }: Pick<ListenOptions, "host" | "port">,
  hangUp: () => void,
): Promise<Listening> {
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    hangUp,
    async stop() {
      hangUp();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
