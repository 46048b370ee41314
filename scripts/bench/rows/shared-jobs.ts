/** Runs jobs of the netmiko driver on the bench's device over HTTP, waiting for each. */
import { login } from "../cli/rows.ts";
import { type BenchService, startService } from "../service.ts";

export interface DeviceJobs {
  readonly service: BenchService;
  /** @throws if the job did not finish */
  run(port: number, what: object, queue_strategy: "fifo" | "pinned", host?: string): Promise<void>;
  /** Runs jobs until the service is warm. */
  warmUp(port: number, what: object, jobs?: number): Promise<void>;
  stop(): Promise<void>;
}

interface Answer {
  readonly data: { readonly status?: string };
}

export async function startJobs(settings: Readonly<Record<string, string>> = {}): Promise<DeviceJobs> {
  const service = await startService(undefined, settings);
  const run: DeviceJobs["run"] = async (port, what, queue_strategy, host = "127.0.0.1") => {
    const connection_args = { device_type: "cisco_ios", port, ...login, host };
    const body = { driver: "netmiko", connection_args, ...what, options: { queue_strategy } };
    const response = await service.call("POST", "/device/execute", body, 120);
    const { data } = (await response.json()) as Answer;
    if (data.status !== "finished") throw new Error(`a job ended as ${JSON.stringify(data)}`);
  };
  return {
    service,
    run,
    async warmUp(port, what, jobs = 300) {
      for (let n = 0; n < jobs; n++) await run(port, what, "pinned");
    },
    stop: service.stop,
  };
}
