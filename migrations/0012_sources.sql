CREATE TABLE `inventory_source_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source` text NOT NULL,
	`run` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `inventory_source_runs_source` ON `inventory_source_runs` (`source`,`id`);--> statement-breakpoint
CREATE TABLE `inventory_sources` (
	`name` text PRIMARY KEY NOT NULL,
	`changed_at` integer NOT NULL,
	`own` text NOT NULL
);
