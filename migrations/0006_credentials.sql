CREATE TABLE `credentials` (
	`source` text NOT NULL,
	`ref` text NOT NULL,
	`fields` text NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`last_used_at` integer,
	`secret` blob NOT NULL,
	PRIMARY KEY(`source`, `ref`)
);
--> statement-breakpoint
ALTER TABLE `keys` ADD `credentials` text;