/** Power, fans, temperature, load and memory. */
import { decimal, integer, rounded } from "../../../common/numbers.ts";
import type { Environment } from "../../../models.ts";
import type { Getter } from "../../../system.ts";
import type { NxosDevice } from "../../nxos-common/device.ts";
import { isRow, type Row } from "../../nxos-common/tables.ts";
import { fieldLike, rawOf, rowsOf, textOf } from "../rows.ts";

export const getEnvironment: Getter<NxosDevice, "get_environment"> = async (device) => {
  const environment = await device.json("show environment");
  return {
    power: powerOf(fieldLike(environment, "powersup")),
    fans: fansOf(fieldLike(environment, "fandetails")),
    temperature: temperatureOf(environment),
    cpu: cpuOf(await device.json("show processes cpu")),
    memory: memoryOf(await device.json("show processes memory shared")),
  };
};

/** A table for each supply numbers them; one table of all has their numbers. */
function powerOf(supplies: unknown): Environment["power"] {
  const inTables = Array.isArray(fieldLike(supplies, "TABLE_psinfo"));
  return Object.fromEntries(
    rowsOf(supplies, "psinfo").map((row, index) => [
      (inTables ? "" : textOf(row, "psnum")) || String(index + 1),
      {
        status: (rawOf(row, statusField(row, inTables)) ?? "ok").toLowerCase() === "ok",
        output: decimal(rawOf(row, "watts") ?? firstWord(row, "actual_out"), -1),
        capacity: capacityOf(row),
      },
    ]),
  );
}

/** `ps_status_3k` counts in tables of its own only, as NAPALM has it; a supply that says nothing of its state is well. */
function statusField(row: Row, inTables: boolean): string {
  const found = inTables ? Object.keys(row).find((name) => name.startsWith("ps_status")) : undefined;
  return found ?? "ps_status";
}

/** `107` of `107 W`. */
function firstWord(row: Row, field: string): string | undefined {
  return /^\S+/.exec(textOf(row, field))?.[0];
}

/** Of a supply that does not tell its capacity, the model does: `NXA-PAC-500W`. */
function capacityOf(row: Row): number {
  const model = textOf(row, "psmodel");
  const told = firstWord(row, "tot_capa") ?? model.split("-").at(-1)?.slice(0, -1);
  return decimal(told, undefined) ?? decimal(/(\d+)W/.exec(model)?.[1], -1);
}

/** Those in power supplies are left out. */
function fansOf(details: unknown): Environment["fans"] {
  const fans = rowsOf(details, "faninfo").filter((row) => !textOf(row, "fanname").includes("PS"));
  return Object.fromEntries(
    fans.map((row) => [rawOf(row, "fanname") ?? "", { status: (rawOf(row, "fanstatus") ?? "Ok") === "Ok" }]),
  );
}

/** As NAPALM numbers them: counted in the first module, each the first of its name in the others. */
function temperatureOf(environment: unknown): Environment["temperature"] {
  const sensors: Record<string, Environment["temperature"][string]> = {};
  let count = 1;
  for (const row of rowsOf(environment, "tempinfo")) {
    const module = textOf(row, "tempmod");
    if (module !== "1") count = 1;
    const temperature = decimal(textOf(row, "curtemp"), -1);
    sensors[`${module}-${count++} ${(rawOf(row, "sensor") ?? "").trimEnd()}`] = {
      temperature,
      is_alert: (rawOf(row, "alarmstatus") ?? "Ok").trimEnd() !== "Ok",
      is_critical: temperature > decimal(textOf(row, "majthres"), Number.POSITIVE_INFINITY),
    };
  }
  return sensors;
}

function cpuOf(processes: unknown): Environment["cpu"] {
  const top = isRow(processes) ? textOf(processes, "idle_percent") : "";
  const idle = top === "" ? textOf(rowsOf(processes, "cpu_util")[0] ?? {}, "idle_percent") : top;
  return idle === "" ? {} : { 0: { "%usage": rounded(100 - decimal(idle, 100), 2) } };
}

function memoryOf(processes: unknown): Environment["memory"] {
  const [total = {}] = rowsOf(processes, "process_tag");
  const bytes = (which: string) =>
    integer(textOf(total, `process-memory-share-total-shm-${which}`), 0) * 1000;
  return { available_ram: bytes("avail"), used_ram: bytes("used") };
}
