/** What the SSH and the Telnet side of a simulated device take and give. */
import type { Faults } from "./faults.ts";
import type { Attachment, Line } from "./line.ts";
import type { Thinking } from "./thinking.ts";

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly faults: Faults;
  readonly thinking: Thinking;
  readonly hostKey: string | undefined;
  attach(line: Line): Attachment;
}

export interface Listening {
  readonly port: number;
  stop(): Promise<void>;
}
