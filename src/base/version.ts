/** The version, as package.json states it. */
import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;
/** Version of the HTTP API, reported in /openapi.json. */
export const apiVersion = "0.2";
