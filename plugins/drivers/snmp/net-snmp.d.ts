/** The part of net-snmp that the driver uses; the package has no types. */
declare module "net-snmp" {
  export interface Varbind {
    readonly oid: string;
    readonly type: number;
    readonly value: unknown;
  }
  type Reply<T> = (error: Error | null, answer?: T) => void;

  export interface Session {
    /** Of requests that are made from now on. */
    retries: number;
    timeout: number;
    get(oids: readonly string[], reply: Reply<readonly Varbind[]>): void;
    getNext(oids: readonly string[], reply: Reply<readonly Varbind[]>): void;
    getBulk(
      oids: readonly string[],
      nonRepeaters: number,
      maxRepetitions: number,
      reply: Reply<readonly (readonly Varbind[])[]>,
    ): void;
    set(varbinds: readonly Varbind[], reply: Reply<readonly Varbind[]>): void;
    cancelRequests(error: Error): void;
    on(event: "error", listener: (error: unknown) => void): void;
    close(): void;
  }

  export interface User {
    readonly name: string;
    readonly level: number;
    readonly authProtocol?: string;
    readonly authKey?: string;
    readonly privProtocol?: string;
    readonly privKey?: string;
  }

  export interface Options {
    readonly port: number;
    readonly version: number;
    readonly transport: string;
    readonly retries: number;
    readonly timeout: number;
    readonly context?: string;
    readonly reportOidMismatchErrors: boolean;
    /** Instead of `node:dgram`. */
    readonly dgramModule: unknown;
  }

  const library: {
    createSession(target: string, community: string, options: Options): Session;
    createV3Session(target: string, user: User, options: Options): Session;
    readonly Version2c: number;
    readonly Version3: number;
    readonly SecurityLevel: {
      readonly noAuthNoPriv: number;
      readonly authNoPriv: number;
      readonly authPriv: number;
    };
    readonly AuthProtocols: Readonly<Record<string, string>>;
    readonly PrivProtocols: Readonly<Record<string, string>>;
    readonly RequestFailedError: new (...given: never[]) => Error & { readonly status: number };
    readonly RequestTimedOutError: new (
      ...given: never[]
    ) => Error & {
      readonly name: "RequestTimedOutError";
    };
    readonly ResponseInvalidError: new (...given: never[]) => Error & { readonly code: number };
    readonly ResponseInvalidCode: { readonly EAuthFailure: number };
  };
  export default library;
}
