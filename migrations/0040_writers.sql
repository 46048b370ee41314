ALTER TABLE `credentials` ADD `written_by` text;--> statement-breakpoint
ALTER TABLE `inventory_sources` ADD `written_by` text;--> statement-breakpoint
ALTER TABLE `keys` ADD `made_by` text;
