#include <stddef.h>
#include <stdint.h>

/* CRC-32 of a buffer, byte by byte, with the table of the 256 remainders */
uint32_t checksum_table(const uint8_t *p, size_t n, const uint32_t table[256]) {
    uint32_t crc = 0xFFFFFFFFu;
    while (n--)
        crc = table[(crc ^ *p++) & 0xFF] ^ (crc >> 8);
    return crc ^ 0xFFFFFFFFu;
}
