/** The row `ttp-functions`. */
import { ttpRow } from "./shared-ttp.ts";

export default ttpRow("ttp-functions", "with functions", { cold: 169, kept: 446 });
