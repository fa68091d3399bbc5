<?php
// The client that openapi-generator makes for PHP creates an event and reads it back.
// usage: by_openapi_generator.php CLIENT_FOLDER BASE_URL KEY

[, $folder, $base, $key] = $argv;
// Debian's package.
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class) use ($folder) {
    $file = $folder . '/lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $class) . '.php';
    if (file_exists($file)) {
        require $file;
    }
});

$settings = OpenAPI\Client\Configuration::getDefaultConfiguration()->setAccessToken($key)->setHost($base);
$events = new OpenAPI\Client\Api\EventApi(new GuzzleHttp\Client(), $settings);
$request = (new OpenAPI\Client\Model\CreateEventRequest())
    ->setTitle('From PHP')
    ->setDescription('Made by a generated client.')
    ->setLocation('c-base')
    ->setStartDate('2030-05-14T19:00');
$made = $events->createEvent($request);
$read = $events->getMyEvent($made->getId());
if ($read->getTitle() !== 'From PHP') {
    fwrite(STDERR, "the event is not as it was made: $read\n");
    exit(1);
}
echo "by_openapi_generator.php: created an event and read it\n";
