/** The version from package.json. */
import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;
/** Version of the HTTP API, reported in /openapi.json. */
export const apiVersion = "0.2";
