CREATE TABLE `hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`recipe` text NOT NULL,
	`name` text NOT NULL,
	`owner` text NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`token` text NOT NULL,
	`spec` blob NOT NULL,
	`secret` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_token` ON `hooks` (`token`);--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_recipe` ON `hooks` (`recipe`,`name`);--> statement-breakpoint
CREATE TABLE `hook_deliveries` (
	`hook` text NOT NULL,
	`content` text NOT NULL,
	`delivery` text NOT NULL,
	`run` text NOT NULL,
	`begun` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`hook`, `content`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hook_deliveries_delivery` ON `hook_deliveries` (`hook`,`delivery`);--> statement-breakpoint
CREATE INDEX `hook_deliveries_at` ON `hook_deliveries` (`hook`,`at`);
