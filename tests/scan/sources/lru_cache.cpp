#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

class LruCache {
public:
    explicit LruCache(std::size_t capacity) : capacity_(capacity) {}

    std::optional<std::string> get(int key) {
        auto found = places_.find(key);
        if (found == places_.end()) return std::nullopt;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->second;
    }

    void put(int key, std::string value) {
        auto found = places_.find(key);
        if (found != places_.end()) {
            found->second->second = std::move(value);
            entries_.splice(entries_.begin(), entries_, found->second);
            return;
        }
        if (entries_.size() == capacity_) {
            places_.erase(entries_.back().first);
            entries_.pop_back();
        }
        entries_.emplace_front(key, std::move(value));
        places_[key] = entries_.begin();
    }

private:
    std::size_t capacity_;
    std::list<std::pair<int, std::string>> entries_;
    std::unordered_map<int, std::list<std::pair<int, std::string>>::iterator> places_;
};

std::string look_up(LruCache &cache, int key) {
    auto found = cache.get(key);
    if (!found) {
        cache.put(key, std::to_string(key));
        return "missing";
    }
    return *found;
}
