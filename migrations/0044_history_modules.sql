ALTER TABLE `config_devices` ADD `modules` text;
